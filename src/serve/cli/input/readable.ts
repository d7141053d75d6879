import { type Application, readApplication } from '#base/model';
import { ExitError, usageExitCode } from '../io.ts';

/** The same Application, where each field of its spec has its type. Throws ExitError with every other one. */
export function readable(app: Application): Application {
  const { unreadable = [] } = readApplication(app);
  if (unreadable.length > 0)
    throw new ExitError(usageExitCode, `Application ${app.metadata.name}: ${unreadable.join('; ')}`);
  return app;
}
