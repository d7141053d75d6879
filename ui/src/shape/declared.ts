import type { Application, ApplicationSet } from '#base/model';
import { withoutBookkeeping } from './changes.ts';

/** What a user declares of an application: without status and without what the cluster writes. */
export function declaredApplication(app: Application): Application {
  const { apiVersion, kind, metadata, spec } = withoutBookkeeping(app) as Application;
  const { uid: _u, resourceVersion: _r, generation: _g, creationTimestamp: _c, ...own } = metadata;
  return { apiVersion, kind, metadata: own, spec };
}

/** The same of a set. */
export function declaredSet(set: ApplicationSet): ApplicationSet {
  const { apiVersion, kind, metadata, spec } = set;
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const own = {
    name,
    ...(namespace && { namespace }),
    ...(labels && { labels }),
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
  };
  return { apiVersion, kind, metadata: own, spec };
}
