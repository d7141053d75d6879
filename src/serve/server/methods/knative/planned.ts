import { type Application, projectName } from '#base/model';
import { FairleadError } from '#base/std';
import { type PlannedChange, shownRepository, writeAccess } from '#control/traffic';
import type { TrafficPlan } from '#serve/api';
import type { MethodCall } from '../../rest/request.ts';
import { type KnativeDeps, permitFor, trafficDeps } from './traffic-call.ts';

/** A planned change of a Knative Service as the API shows it. */
export const planView = ({
  found,
  sentence,
  isNoChange,
  hash,
  edit,
}: PlannedChange): Omit<TrafficPlan, 'mode' | 'from' | 'to' | 'warnings'> => ({
  service: found.facts.name,
  namespace: found.facts.namespace,
  resolved: sentence,
  isNoChange,
  hash,
  ...(edit && {
    repoURL: shownRepository(edit),
    branch: edit.branch,
    baseRevision: edit.commit,
    file: edit.file,
    diff: edit.diff,
    commitMessage: edit.message,
  }),
});

/** What would keep the commit from being pushed, for a preview. */
export function writeProblems(
  deps: KnativeDeps,
  call: MethodCall,
  app: Application,
  { edit }: PlannedChange,
): readonly string[] {
  if (!edit) return [];
  try {
    const { repoURL } = edit.source;
    permitFor(call)(writeAccess(trafficDeps(deps), repoURL, projectName(app)), repoURL);
    return [];
  } catch (error) {
    return [FairleadError.from(error).message];
  }
}

/** A refused credential of a repository is the caller's to mend; it must not look like an expired session. */
export async function ofRepository<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    const { code, message } = FairleadError.from(error);
    throw code === 'Auth' ? new FairleadError('InvalidSpec', message, error) : error;
  });
}
