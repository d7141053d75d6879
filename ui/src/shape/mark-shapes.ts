import type { HealthCode, SyncStatusCode } from '#base/model';

/**
 * The marks of state, on a grid of sixteen. Each has its own outline, so that users recognise it without
 * colour: in the tree, the table, the badge and the favicon they are the same.
 */
export type MarkShape = {
  /** Painted in the state's colour. */
  readonly fill?: string;
  /** Drawn with a pen in the state's colour. */
  readonly line?: string;
  /** Cut out of the fill, in the colour of the ground. */
  readonly cut?: string;
  readonly isDashed?: boolean;
  /** A part that rotates while something is in progress. */
  readonly turning?: string;
};

const disc = 'M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13z';
const ring = 'M8 2.25a5.75 5.75 0 1 1 0 11.5 5.75 5.75 0 0 1 0-11.5z';
const question = 'M6.1 6.2a1.95 1.95 0 1 1 2.9 1.7c-.7.4-1 .8-1 1.5M8 11.6v.05';

export const healthShapes: Readonly<Record<HealthCode, MarkShape>> = {
  Healthy: { fill: disc, cut: 'M5 8.25 7.15 10.4 11.1 5.9' },
  Progressing: { line: ring, turning: 'M8 2.25A5.75 5.75 0 0 1 13.75 8' },
  Degraded: { fill: 'M8 1.6 15 14H1z', cut: 'M8 6.1v3.6M8 11.9v.05' },
  Missing: { line: ring, isDashed: true },
  Suspended: { fill: disc, cut: 'M6.3 5.6v4.8M9.7 5.6v4.8' },
  Unknown: { line: `${ring}${question}` },
};

export const syncShapes: Readonly<Record<SyncStatusCode, MarkShape>> = {
  Synced: { line: 'M2 12.75h12M4.5 6.5 7 9l4.75-5.25' },
  OutOfSync: {
    line: 'M1.75 5.25h6.5M5.75 2.75l2.5 2.5-2.5 2.5M14.25 10.75h-6.5M10.25 8.25l-2.5 2.5 2.5 2.5',
  },
  Unknown: { line: question },
};

/** Favicons stand on the browser's own ground, so they have colours that hold on light and dark. */
const faviconColours: Readonly<Record<HealthCode, string>> = {
  Healthy: '#2f9e63',
  Progressing: '#2f86d2',
  Degraded: '#d8453a',
  Missing: '#c27c0e',
  Suspended: '#8868cf',
  Unknown: '#848d98',
};

/** The tab shows the worst state of all, with an icon of its own. */
export function favicon(health: HealthCode): string {
  const { fill, line, cut, isDashed, turning } = healthShapes[health];
  const colour = faviconColours[health];
  const pen = `fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"`;
  const parts = [
    fill && `<path d="${fill}" fill="${colour}"/>`,
    line &&
      `<path d="${line}" ${pen} stroke="${colour}"${isDashed ? ' stroke-dasharray="2.6 3.4"' : ''}${turning ? ' opacity=".4"' : ''}/>`,
    turning && `<path d="${turning}" ${pen} stroke="${colour}"/>`,
    cut && `<path d="${cut}" ${pen} stroke="#fff"/>`,
  ];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${parts.filter(Boolean).join('')}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
