import { certificates, gpgKeys } from '#serve/api';
import { one, type RestRoute } from '../../rest/routes.ts';
import * as certificate from './certificates.ts';
import * as key from './gpg-keys.ts';

export const trustRoutes = (deps: key.GpgDeps): RestRoute[] => [
  one(certificates.list, (ctx, call) => certificate.list(ctx, deps, call)),
  one(certificates.create, (ctx, call) => certificate.create(ctx, deps, call)),
  one(certificates.delete, (ctx, call) => certificate.remove(ctx, deps, call)),
  one(gpgKeys.list, (ctx, call) => key.list(ctx, deps, call)),
  one(gpgKeys.create, (ctx, call) => key.create(ctx, deps, call)),
  one(gpgKeys.get, (ctx, call) => key.get(ctx, deps, call)),
  one(gpgKeys.delete, (ctx, call) => key.remove(ctx, deps, call)),
];
