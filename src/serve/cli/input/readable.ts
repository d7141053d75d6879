import { type Application, argoApiVersion, readApplication } from '#base/model';
import { ExitError, type Io, usageExitCode } from '../io.ts';

/** dev server §11 10: the Application with the apiVersion that exists, where other guides print another one, after a warning. */
export function withApiVersion(io: Pick<Io, 'err'>, app: Application): Application {
  const { apiVersion = argoApiVersion, metadata } = app;
  if (apiVersion !== argoApiVersion)
    io.err(`warning: Application ${metadata?.name}: apiVersion ${apiVersion} is read as ${argoApiVersion}\n`);
  return { ...app, apiVersion: argoApiVersion, kind: 'Application' };
}

/** The same Application, where each field of its spec has its type. Throws ExitError with every other one. */
export function readable(app: Application): Application {
  const { unreadable = [] } = readApplication(app);
  if (unreadable.length > 0)
    throw new ExitError(usageExitCode, `Application ${app.metadata.name}: ${unreadable.join('; ')}`);
  return app;
}
