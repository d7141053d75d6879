import type { Application, SyncWindow } from '#base/model';
import { denialGlob } from '../glob.ts';

const lists = ['applications', 'namespaces', 'clusters'] as const;

type Subject = Pick<Application, 'metadata' | 'spec'>;

/** The windows that concern an application, in their order. compat: clusters are compared as its spec writes them. */
export function windowsFor(
  windows: readonly SyncWindow[] | undefined,
  { metadata, spec }: Subject,
): readonly SyncWindow[] {
  if (!windows?.length) return [];
  const { server = '', name = '', namespace = '' } = spec.destination ?? {};
  const texts = {
    applications: [metadata.name],
    namespaces: [namespace],
    clusters: [server, name].filter((text) => text !== ''),
  };
  return windows.filter((window) => concerns(window, texts));
}

type Texts = Readonly<Record<(typeof lists)[number], readonly string[]>>;

function concerns(window: SyncWindow, texts: Texts): boolean {
  const isIn = (list: (typeof lists)[number]): boolean =>
    window[list]?.some((pattern) => texts[list].some((text) => denialGlob(pattern, text))) === true;
  if (!window.andOperator) return lists.some(isIn);
  const given = lists.filter((list) => window[list]?.length);
  return given.length > 0 && given.every(isIn);
}
