import type { ApplicationSetSpec } from '#base/model';
import { Lru } from '#base/std';
import type { TemplateHost } from '#lang/go-template';
import { modeOf, type SetParameters, type TemplateMode } from '../parameters/set-parameters.ts';
import { type CompiledText, compileFlat } from './flat-text.ts';
import { compileGo, isMissingKey } from './go-text.ts';
import { compileTree } from './tree.ts';

type TemplateSettings = Pick<ApplicationSetSpec, 'goTemplate' | 'goTemplateOptions'>;

/**
 * The texts of one ApplicationSet, each compiled once and rendered for all of its parameter sets. It belongs to one
 * generation of one set.
 */
export class SetRenderer {
  readonly mode: TemplateMode;
  readonly #texts = new Lru<CompiledText | 'constant'>({ capacity: 20_000 });

  readonly #strict = new Lru<CompiledText | 'constant'>({ capacity: 5000 });
  readonly #options: readonly string[];
  readonly #host: TemplateHost;

  /** Without a host, functions that need a clock or randomness fail with their names. */
  constructor(settings: TemplateSettings, host: TemplateHost = {}) {
    this.mode = modeOf(settings);
    this.#options = settings.goTemplateOptions ?? [];
    this.#host = host;
  }

  /** The text with its tags replaced. Throws RenderFailed or LimitExceeded. */
  text(text: string, set: SetParameters): string {
    return this.#compiled(text)?.(set) ?? text;
  }

  /** The text rendered; undefined: it names a parameter that the set does not have (compat sources ASM-3). */
  textIfKnown(text: string, set: SetParameters): string | undefined {
    if (this.mode === 'flat') return this.text(text, set);
    try {
      const compiled = kept(this.#strict, text, () => this.#compileGo(text, ['missingkey=error']));
      return compiled ? compiled(set) : text;
    } catch (thrown) {
      if (isMissingKey(thrown)) return undefined;
      throw thrown;
    }
  }

  /** The value with all of its strings and keys rendered, compiled here and now (compat sources AST-6). */
  tree<T>(value: T, path = ''): (set: SetParameters) => T {
    return compileTree(value, (text) => this.#compiled(text), path);
  }

  #compiled(text: string): CompiledText | undefined {
    return kept(this.#texts, text, () =>
      this.mode === 'flat' ? compileFlat(text) : this.#compileGo(text, this.#options),
    );
  }

  #compileGo(text: string, options: readonly string[]): CompiledText | undefined {
    return compileGo(text, { options, host: this.#host });
  }
}

type CompiledTexts = Lru<CompiledText | 'constant'>;

function kept(
  texts: CompiledTexts,
  text: string,
  compile: () => CompiledText | undefined,
): CompiledText | undefined {
  const known = texts.get(text);
  if (known) return known === 'constant' ? undefined : known;
  const compiled = compile();
  texts.set(text, compiled ?? 'constant');
  return compiled;
}
