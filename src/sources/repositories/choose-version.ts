import { compareVersions, FairleadError, type SemanticVersion } from '#base/std';
import { parseConstraint, parseVersion, satisfies } from './semver.ts';

/** A chosen version, and the sentence that explains the choice. */
export type Choice = { readonly version: string; readonly why: string };

/**
 * The newest version that a range allows; undefined when there is none. Texts that are not versions are skipped. Throws
 * InvalidSpec when the range is invalid.
 */
export function newestWithin(versions: Iterable<string>, range: string): Choice | undefined {
  const constraint = parseConstraint(range);
  if (!constraint) {
    // compat sources HRP-2
    throw new FairleadError(
      'InvalidSpec',
      `invalid revision: ${JSON.stringify(range)} is neither a version nor a range`,
    );
  }
  let best: SemanticVersion | undefined;
  let fitting = 0;
  for (const text of versions) {
    const version = parseVersion(text);
    if (!version || !satisfies(version, constraint)) continue;
    fitting += 1;
    if (!best || compareVersions(version, best) > 0) best = version;
  }
  if (!best) return undefined;
  const among = fitting === 1 ? 'the only version' : `the newest of ${fitting} versions`;
  return { version: best.text, why: `${best.text} is ${among} within ${range}` };
}

/** Whether a text is a version within a range; false for an invalid version or range. */
export function isWithin(version: string, range: string): boolean {
  const constraint = parseConstraint(range);
  const parsed = constraint && parseVersion(version);
  return parsed !== undefined && satisfies(parsed, constraint ?? []);
}

/**
 * The version that a text names: the exact text first, then the newest it allows, so that `1.2` finds 1.2.7 and
 * `v1.2.3` finds 1.2.3, as in helm.
 */
export function versionNamed(versions: readonly string[], text: string): string | undefined {
  if (versions.includes(text)) return text;
  return parseConstraint(text) ? newestWithin(versions, text)?.version : undefined;
}
