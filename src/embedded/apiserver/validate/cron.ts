/** The bounds of the five fields of a schedule, and the names some of them accept. */
const fields = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ') },
  { least: 0, most: 6, names: 'sun mon tue wed thu fri sat'.split(' ') },
] as const;
type Bounds = { readonly least: number; readonly most: number; readonly names?: readonly string[] };

/** The error in a schedule, in the words of the parser Kubernetes uses; undefined when there is none. */
export function scheduleProblem(schedule: string): string | undefined {
  if (schedule.startsWith('@')) return descriptorProblem(schedule);
  const parts = schedule.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== fields.length) {
    return `expected exactly 5 fields, found ${parts.length}: [${parts.join(' ')}]`;
  }
  for (const [index, part] of parts.entries()) {
    const bounds = fields[index];
    for (const range of bounds ? part.split(',') : []) {
      const problem = bounds && rangeProblem(range, bounds);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(text: string): string | undefined {
  if (/^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)$/.test(text)) return undefined;
  if (/^@every (?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) return undefined;
  if (text.startsWith('@every '))
    return `failed to parse duration ${text}: time: invalid duration "${text.slice(7)}"`;
  return `unrecognized descriptor: ${text}`;
}

function rangeProblem(text: string, bounds: Bounds): string | undefined {
  const [span = '', step, ...slashes] = text.split('/');
  const [low = '', high, ...hyphens] = span.split('-');
  const ends = isAny(low) ? [] : high === undefined ? [low] : [low, high];
  const problem = ends.map((part) => numberProblem(part, bounds)).find((one) => one !== undefined);
  if (problem !== undefined) return problem;
  if (ends.length > 0 && hyphens.length > 0) return `too many hyphens: ${text}`;
  if (slashes.length > 0) return `too many slashes: ${text}`;
  const stepProblem = step === undefined ? undefined : numberProblem(step, {});
  return stepProblem ?? boundsProblem(text, { low, high, step }, bounds);
}

const isAny = (part: string): boolean => part === '*' || part === '?';

function numberProblem(part: string, { names }: Partial<Bounds>): string | undefined {
  if (names?.includes(part.toLowerCase()) || /^[+]?\d+$/.test(part)) return undefined;
  if (/^-\d+$/.test(part)) return `negative number (${part}) not allowed: ${part}`;
  return `failed to parse int from ${part}: strconv.Atoi: parsing ${JSON.stringify(part)}: invalid syntax`;
}

type Range = { readonly low: string; readonly high: string | undefined; readonly step: string | undefined };

function boundsProblem(text: string, range: Range, bounds: Bounds): string | undefined {
  const isOpen = isAny(range.low);
  const start = isOpen ? bounds.least : numberOf(range.low, bounds);
  const last = isOpen || (range.high === undefined && range.step !== undefined) ? bounds.most : start;
  const end = range.high === undefined || isOpen ? last : numberOf(range.high, bounds);
  if (start < bounds.least) return `beginning of range (${start}) below minimum (${bounds.least}): ${text}`;
  if (end > bounds.most) return `end of range (${end}) above maximum (${bounds.most}): ${text}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${text}`;
  return range.step === '0' ? `step of range should be a positive number: ${text}` : undefined;
}

function numberOf(part: string, { names, least }: Bounds): number {
  const named = names?.indexOf(part.toLowerCase()) ?? -1;
  return named < 0 ? Number(part) : named + least;
}
