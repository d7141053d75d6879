const marks: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '"': '\\"' };

/** One line of the text format, for series that are written faster than a library could keep them. */
export function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(
    ([key, text]) => `${key}="${text.replace(/["\\\n]/g, (mark) => marks[mark] ?? mark)}"`,
  );
  return `${name}{${pairs.join(',')}} ${value}\n`;
}

export const heading = (name: string, help: string, type: 'gauge' | 'counter'): string =>
  `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** compat server §7.1: the metric label of a Kubernetes label. */
export const labelName = (key: string): string => `label_${key.replace(/[^a-zA-Z0-9_]/g, '_')}`;
