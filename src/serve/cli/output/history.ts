import { type Application, effectiveSources, type RevisionHistory, type Source } from '#base/model';
import { table } from './table.ts';
import { short } from './words.ts';

/** compat: the deployment history, newest last, in a table for each source: each id can be rolled back to. */
export function historyTable({ status, spec }: Application): string {
  const tables = new Map<string, (readonly string[])[]>();
  for (const entry of status?.history ?? [])
    for (const [heading, row] of rowsOf(entry)) {
      const rows = tables.get(heading);
      if (rows) rows.push(row);
      else tables.set(heading, [row]);
    }
  if (tables.size === 0) for (const heading of headings(effectiveSources(spec))) tables.set(heading, []);
  return [...tables]
    .map(([heading, rows]) => `SOURCE  ${heading}\n${table(['ID', 'DATE', 'REVISION'], rows)}`)
    .join('\n');
}

function rowsOf({ id, deployedAt, source, sources, revision, revisions }: RevisionHistory) {
  const all = sources?.length ? sources : source ? [source] : [];
  const at = sources?.length ? (revisions ?? []) : [revision ?? ''];
  return headings(all).map((heading, i) => {
    const deployed = `${all[i]?.targetRevision || 'HEAD'} (${short(at[i] ?? '')})`;
    return [heading, [String(id), deployedAt, deployed]] as const;
  });
}

/** Its repository; where several sources are from the same one, also its path or chart. */
function headings(sources: readonly Source[]): string[] {
  return sources.map(({ repoURL, name, chart, path, ref }) => {
    const isAlone = sources.filter((other) => other.repoURL === repoURL).length < 2;
    return isAlone ? repoURL : `${repoURL} ${name ?? chart ?? path ?? `$${ref ?? ''}`}`;
  });
}
