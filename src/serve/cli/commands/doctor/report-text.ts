import type { Check, DoctorFinding, Severity } from '#engine/doctor';
import type { Paint } from '../../output/colour.ts';

const colours = { error: 'red', warning: 'yellow', note: 'blue' } as const;
/** So many places of one check are printed; `-o json` has all. */
const most = 20;

/** What there is to say besides the findings. */
export type DoctorSummary = {
  /** `14 files, 23 objects`, or the name of a server. */
  readonly examined: string;
  /** Findings below the threshold. */
  readonly below: number;
  readonly ignored: number;
  readonly remarks: readonly string[];
};

/** Findings grouped by check and severity, each group with its reason and its fix; then one line that sums them up. */
export function doctorText(findings: readonly DoctorFinding[], summary: DoctorSummary, paint: Paint): string {
  const groups = new Map<string, DoctorFinding[]>();
  for (const finding of findings) {
    const key = `${finding.severity} ${finding.check.id}`;
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  const ordered = [...groups.values()].toSorted(([a], [b]) => rank(a) - rank(b));
  return [
    ...ordered.flatMap((own) => [...groupLines(own, paint), '']),
    ...summary.remarks.map((remark) => `${paint('faint', 'not examined:')} ${remark}`),
    lastLine(findings, summary),
    '',
  ].join('\n');
}

/** `1 file`, `2 files`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const order: readonly Severity[] = ['error', 'warning', 'note'];
const rank = (finding: DoctorFinding | undefined): number => order.indexOf(finding?.severity ?? 'note');

function groupLines(findings: readonly DoctorFinding[], paint: Paint): string[] {
  const [first] = findings;
  if (!first) return [];
  const { check, severity } = first;
  const shown = findings.slice(0, most).map((finding) => `  ${placeOf(finding, paint)}  ${finding.message}`);
  const fixable = findings.filter(({ edit }) => edit).length;
  const fixes = new Set(findings.map(({ fix }) => fix));
  const fix = fixes.size === 1 ? [...fixes][0] : check.fix;
  const how = fixable > 0 ? ` (--fix does it${fixable < findings.length ? ` for ${fixable}` : ''})` : '';
  return [
    `${paint(colours[severity], severity)}  ${paint('bold', check.title)}  ${paint('faint', check.id)}`,
    ...shown,
    ...(findings.length > most ? [`  and ${findings.length - most} more`] : []),
    `  ${paint('faint', 'why:')} ${check.why}`,
    `  ${paint('faint', 'fix:')} ${fix}${how}`,
  ];
}

function placeOf({ file, line, application, object }: DoctorFinding, paint: Paint): string {
  if (file !== undefined) return paint('cyan', `${file}:${line}`);
  return paint('cyan', application === undefined ? object : `${application}: ${object}`);
}

function lastLine(findings: readonly DoctorFinding[], { examined, below, ignored }: DoctorSummary): string {
  const counts = order.flatMap((severity) => {
    const count = findings.filter((finding) => finding.severity === severity).length;
    return count === 0 ? [] : [counted(count, severity)];
  });
  const fixable = findings.filter(({ edit }) => edit).length;
  const parts = [
    ...(below > 0 ? [`${below} below the threshold: --severity note shows them`] : []),
    ...(ignored > 0 ? [`${ignored} ignored by comments`] : []),
    ...(fixable > 0 ? [`${fixable} can be fixed with --fix`] : []),
  ];
  const what = counts.length === 0 ? 'nothing found' : counts.join(', ');
  return `${examined}: ${what}${parts.length > 0 ? ` (${parts.join('; ')})` : ''}`;
}

/** Every check there is, for --list. */
export const checkList = (checks: readonly Check[]): string =>
  checks.map(({ id, severity, title }) => `${severity.padEnd(8)} ${id.padEnd(30)} ${title}\n`).join('');
