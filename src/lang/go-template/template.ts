import { FairleadError } from '#base/std';
import { builtins } from './builtins.ts';
import type { MissingKey } from './evaluate.ts';
import { Executor } from './execute.ts';
import type { TemplateFunctions } from './functions.ts';
import { Meter, type TemplateBudget } from './meter.ts';
import type { Tree } from './nodes.ts';
import { parse, type TemplateTrees } from './parse.ts';
import { wellFormed } from './text.ts';
import { goValue, type TemplateHost } from './value.ts';

/** How to read a template; everything has a default. */
export type TemplateOptions = {
  /** Functions beside the builtin ones; one of the same name wins. */
  readonly functions?: TemplateFunctions;
  /** Go's options, such as `missingkey=error` (compat sources AST-4). */
  readonly options?: readonly string[];
  /** Clock, randomness and the like for the functions. */
  readonly host?: TemplateHost;
};

const longest = 1_000_000;

/**
 * Reads a template. Throws InvalidSpec with Go's message when it cannot be parsed, and for an unknown option;
 * LimitExceeded for a text beyond a million characters.
 */
export function compileTemplate(name: string, text: string, options: TemplateOptions = {}): Template {
  if (text.length > longest)
    throw new FairleadError('LimitExceeded', `template ${name} is longer than ${longest} characters`);
  const functions: TemplateFunctions = options.functions ?? new Map();
  const trees: TemplateTrees = new Map();
  const missingKey = missingKeyOf(options.options ?? []);
  parse(name, wellFormed(text), trees, (word) => functions.has(word) || builtins.has(word));
  return new Template(name, trees, { functions, missingKey, host: options.host ?? {} });
}

const missingKeys: Readonly<Record<string, MissingKey>> = {
  'missingkey=default': 'invalid',
  'missingkey=invalid': 'invalid',
  'missingkey=zero': 'zero',
  'missingkey=error': 'error',
};

/** The last option wins. */
function missingKeyOf(options: readonly string[]): MissingKey {
  let missingKey: MissingKey = 'invalid';
  for (const option of options) {
    const known = missingKeys[option];
    if (!known)
      throw new FairleadError(
        'InvalidSpec',
        `unknown template option ${JSON.stringify(option)}: use missingkey=default, missingkey=zero or missingkey=error`,
      );
    missingKey = known;
  }
  return missingKey;
}

/** A template that was read; made by compileTemplate. It keeps nothing between executions. */
export class Template {
  readonly name: string;
  readonly #trees: ReadonlyMap<string, Tree>;
  readonly #settings: { functions: TemplateFunctions; missingKey: MissingKey; host: TemplateHost };

  constructor(
    name: string,
    trees: ReadonlyMap<string, Tree>,
    settings: { functions: TemplateFunctions; missingKey: MissingKey; host: TemplateHost },
  ) {
    this.name = name;
    this.#trees = trees;
    this.#settings = settings;
  }

  /**
   * The output for plain data, or for a result of goValue, which spares the conversion where one set of data meets
   * many templates. Throws RenderFailed with Go's message, LimitExceeded when it needs more than its budget.
   */
  execute(data: unknown, budget: TemplateBudget = {}): string {
    const tree = this.#trees.get(this.name);
    if (!tree) return '';
    const value = goValue(data) ?? undefined;
    const { functions, missingKey, host } = this.#settings;
    const meter = new Meter(this.name, host, budget);
    const program = { trees: this.#trees, functions, builtins, missingKey };
    try {
      return new Executor(program, meter, { tree, data: value }).run(tree, value);
    } catch (error) {
      if (error instanceof RangeError)
        throw new FairleadError('LimitExceeded', `template ${this.name} nests too deeply`, error);
      throw error;
    }
  }
}
