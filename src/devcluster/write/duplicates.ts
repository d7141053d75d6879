/**
 * Keys that a JSON text gives twice in one object, as paths (`spec.replicas`, `spec.ports[0].name`). JSON.parse
 * keeps the last silently; Kubernetes complains. The text has been parsed before, so it is known to be valid.
 */
export function duplicateKeys(text: string): string[] {
  const found: string[] = [];
  const open: Level[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g;
  for (let match = token.exec(text); match; match = token.exec(text)) step(match[0], open, found);
  return found;
}

type Level = {
  readonly path: string;
  readonly seen: Set<string> | undefined;
  index: number;
  key: string;
  atKey: boolean;
};

function step(token: string, open: Level[], found: string[]): void {
  const level = open.at(-1);
  switch (token) {
    case '{':
      open.push({ path: pathIn(level), seen: new Set(), index: 0, key: '', atKey: true });
      return;
    case '[':
      open.push({ path: pathIn(level), seen: undefined, index: 0, key: '', atKey: false });
      return;
    case '}':
    case ']':
      open.pop();
      return;
    case ',':
      if (level) next(level);
      return;
    case ':':
      return;
    default:
      if (level?.seen && level.atKey) takeKey(level, token, found);
  }
}

function next(level: Level): void {
  level.index += 1;
  level.atKey = level.seen !== undefined;
}

function takeKey(level: Level, token: string, found: string[]): void {
  level.key = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  level.atKey = false;
  if (level.seen?.has(level.key)) found.push(pathIn(level));
  level.seen?.add(level.key);
}

function pathIn(level: Level | undefined): string {
  if (!level) return '';
  if (!level.seen) return `${level.path}[${level.index}]`;
  return level.path === '' ? level.key : `${level.path}.${level.key}`;
}
