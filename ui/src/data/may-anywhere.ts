import { accounts, call, projects, type Send } from '#serve/api';

/** So many requests are cheap; with more projects the button stays on, and the server decides. */
const mostProjects = 20;

/**
 * Whether at least one project permits something. Undefined: not among the first projects, and there are more. The requests
 * for the projects run at the same time; where every object is permitted there are none.
 */
export async function mayAnywhere(
  send: Send,
  { resource, action }: { resource: string; action: string },
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const may = async (object: string): Promise<boolean> => {
    const { value } = await call(send, accounts.canI, { params: { resource, action, object }, signal });
    return value === 'yes';
  };
  if (await may('*')) return true;
  const query = { fields: 'items.metadata.name' };
  const { items } = await call(send, projects.list, { signal, query });
  const names = (items ?? []).map(({ metadata }) => metadata.name);
  const answers = await Promise.all(names.slice(0, mostProjects).map((name) => may(`${name}/*`)));
  if (answers.includes(true)) return true;
  return names.length > mostProjects ? undefined : false;
}
