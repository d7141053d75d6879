import { type Check, checks, type DoctorFinding, type Severity } from '#engine/doctor';
import type { FixedFile } from './fix-files.ts';

const levels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  note: 'note',
};

/** A position in a text: line and column from 1, counted in UTF-16 units. */
type Position = { readonly line: number; readonly column: number };

/** SARIF 2.1.0: what code hosts and editors read. `texts` has the files that edits are about. */
export function sarifOf(
  findings: readonly DoctorFinding[],
  version: string,
  texts: ReadonlyMap<string, string>,
): unknown {
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'fairlead doctor', semanticVersion: version, rules: checks.map(ruleOf) },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { SRCROOT: { description: { text: 'The root of the repository.' } } },
        results: findings.map((finding) => resultOf(finding, texts)),
      },
    ],
  };
}

const ruleOf = ({ id, title, why, fix, severity }: Check) => ({
  id,
  name: id.replace(/(?:^|-)([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
  shortDescription: { text: sentence(title) },
  fullDescription: { text: sentence(why) },
  help: { text: `${sentence(why)}\nFix: ${fix}.` },
  defaultConfiguration: { level: levels[severity] },
});

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
const index = new Map(checks.map((check, at) => [check, at]));

function resultOf(finding: DoctorFinding, texts: ReadonlyMap<string, string>) {
  const { check, severity, message, fix, object, application } = finding;
  const name = application === undefined ? object : `${application}: ${object}`;
  const location = {
    ...physical(finding),
    ...(name !== '' && { logicalLocations: [{ fullyQualifiedName: name, kind: 'resource' }] }),
  };
  return {
    ruleId: check.id,
    ruleIndex: index.get(check) ?? -1,
    level: levels[severity],
    message: { text: `${sentence(message)} Fix: ${fix}.` },
    locations: [location],
    ...fixesOf(finding, texts),
  };
}

function physical({ file, line, column }: DoctorFinding) {
  if (file === undefined) return {};
  return {
    physicalLocation: {
      artifactLocation: { uri: uriOf(file), uriBaseId: 'SRCROOT' },
      region: { startLine: line, startColumn: column },
    },
  };
}

const uriOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

function fixesOf({ file, edit, fix }: DoctorFinding, texts: ReadonlyMap<string, string>) {
  const text = file === undefined ? undefined : texts.get(file);
  if (file === undefined || !edit || text === undefined) return {};
  const [from, to] = [positionIn(text, edit.start), positionIn(text, edit.end)];
  const deletedRegion = {
    startLine: from.line,
    startColumn: from.column,
    endLine: to.line,
    endColumn: to.column,
  };
  const replacements = [{ deletedRegion, insertedContent: { text: edit.text } }];
  return {
    fixes: [
      {
        description: { text: sentence(fix) },
        artifactChanges: [{ artifactLocation: { uri: uriOf(file), uriBaseId: 'SRCROOT' }, replacements }],
      },
    ],
  };
}

function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: offset - start + 1 };
}

/** The findings as data. */
export const doctorJson = (
  findings: readonly DoctorFinding[],
  summary: object,
  fixed: readonly FixedFile[],
) => ({
  ...summary,
  ...(fixed.length > 0 && { fixed: fixed.map(({ path, count }) => ({ file: path, findings: count })) }),
  findings: findings.map(
    ({ check, severity, message, fix, object, file, line, column, application, edit }) => ({
      id: check.id,
      severity,
      title: check.title,
      message,
      ...(object !== '' && { object }),
      ...(file !== undefined && { file, line, column }),
      ...(application !== undefined && { application }),
      why: check.why,
      fix,
      isFixable: edit !== undefined,
    }),
  ),
});
