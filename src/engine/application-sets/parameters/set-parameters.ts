import type { ApplicationSetSpec } from '#base/model';

/**
 * One set of parameters: one application comes of it. In flat mode dotted names are literal keys and only strings can be
 * substituted; in Go mode values are nested and keep their types (compat sources AS-8).
 */
export type SetParameters = Readonly<Record<string, unknown>>;

/** How a set writes its templates: `{{name}}`, or Go's template language. */
export type TemplateMode = 'flat' | 'go';

export const modeOf = ({ goTemplate }: Pick<ApplicationSetSpec, 'goTemplate'>): TemplateMode =>
  goTemplate ? 'go' : 'flat';

export const isEmptySet = (set: SetParameters): boolean => Object.keys(set).length === 0;
