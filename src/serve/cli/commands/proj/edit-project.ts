import type { AppProject, ProjectSpec } from '#base/model';
import { projects } from '#serve/api';
import type { Session } from '../../session/session.ts';

/** Reads a project, changes its spec, and stores it; another writer in between makes the server refuse it. */
export async function editProject(
  session: Session,
  name: string,
  change: (spec: ProjectSpec, project: AppProject) => ProjectSpec,
): Promise<AppProject> {
  const project = await session.call(projects.get, { params: { name } });
  const spec = change(project.spec, project);
  return session.call(projects.update, { params: { name }, body: { project: { ...project, spec } } });
}
