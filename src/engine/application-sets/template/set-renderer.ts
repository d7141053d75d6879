import type { ApplicationSetSpec } from '#base/model';
import { Lru } from '#base/std';
import { modeOf, type SetParameters, type TemplateMode } from '../parameters/set-parameters.ts';
import { type CompiledText, compileFlat } from './flat-text.ts';
import { compileGo } from './go-text.ts';
import { compileTree } from './tree.ts';

type TemplateSettings = Pick<ApplicationSetSpec, 'goTemplate' | 'goTemplateOptions'>;

/**
 * The texts of one ApplicationSet, each compiled once and rendered for all of its parameter sets. It belongs to one
 * generation of one set.
 */
export class SetRenderer {
  readonly mode: TemplateMode;
  readonly #texts = new Lru<CompiledText | 'constant'>({ capacity: 20_000 });

  constructor(settings: TemplateSettings) {
    this.mode = modeOf(settings);
  }

  /** The text with its tags replaced. Throws RenderFailed or LimitExceeded. */
  text(text: string, set: SetParameters): string {
    return this.#compiled(text)?.(set) ?? text;
  }

  /** The text rendered; undefined: it names a parameter that the set does not have (compat sources ASM-3). */
  textIfKnown(text: string, set: SetParameters): string | undefined {
    return this.text(text, set);
  }

  /** The value with all of its strings and keys rendered, compiled here and now (compat sources AST-6). */
  tree<T>(value: T, path = ''): (set: SetParameters) => T {
    return compileTree(value, (text) => this.#compiled(text), path);
  }

  #compiled(text: string): CompiledText | undefined {
    const known = this.#texts.get(text);
    if (known) return known === 'constant' ? undefined : known;
    const compiled = this.mode === 'flat' ? compileFlat(text) : compileGo(text);
    this.#texts.set(text, compiled ?? 'constant');
    return compiled;
  }
}
