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

/** Findings grouped by check, each with its reason and its fix; then one line that sums them up. */
export function doctorText(findings: readonly DoctorFinding[], summary: DoctorSummary, paint: Paint): string {
  const groups = new Map<Check, DoctorFinding[]>();
  for (const finding of findings) groups.set(finding.check, [...(groups.get(finding.check) ?? []), finding]);
  const ordered = [...groups].toSorted(([, a], [, b]) => rank(worst(a)) - rank(worst(b)));
  return [
    ...ordered.flatMap(([check, own]) => [...groupLines(check, own, paint), '']),
    ...summary.remarks.map((remark) => `${paint('faint', 'not examined:')} ${remark}`),
    lastLine(findings, summary),
    '',
  ].join('\n');
}

/** `1 file`, `2 files`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

const order: readonly Severity[] = ['error', 'warning', 'note'];
const rank = (severity: Severity): number => order.indexOf(severity);
const worst = (findings: readonly DoctorFinding[]): Severity =>
  order.find((one) => findings.some(({ severity }) => severity === one)) ?? 'note';

function groupLines(check: Check, findings: readonly DoctorFinding[], paint: Paint): string[] {
  const severity = worst(findings);
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
