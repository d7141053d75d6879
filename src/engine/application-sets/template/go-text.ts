import { FairleadError } from '#base/std';
import {
  applicationSetFunctions,
  compileTemplate,
  goValue,
  type Template,
  type TemplateHost,
} from '#lang/go-template';
import type { SetParameters } from '../parameters/set-parameters.ts';
import type { CompiledText } from './flat-text.ts';

/** The options of a set's templates, and the clock and randomness that sprig's functions use. */
export type GoTextSettings = { readonly options: readonly string[]; readonly host: TemplateHost };

const converted = new WeakMap<SetParameters, ReturnType<typeof goValue>>();

/** Functions that change a map in place; their texts get parameters of their own, so that no field changes another (sources AST-5). */
const changing = /\b(?:set|unset|merge|mergeOverwrite|mustMerge|mustMergeOverwrite)\b/;

/** compat sources AST-3, AST-4: the text, read once; undefined: it is no template. Throws InvalidSpec. */
export function compileGo(text: string, settings: GoTextSettings): CompiledText | undefined {
  if (!text.includes('{{')) return undefined;
  const template = compiled(text, settings);
  const isChanging = changing.test(text);
  return (set) => template.execute(isChanging ? set : dataOf(set));
}

/** A parameter without its dot is a function to Go; the usual mistake of a set that was written for flat mode. */
function compiled(text: string, settings: GoTextSettings): Template {
  try {
    return compileTemplate('template', text, { functions: applicationSetFunctions, ...settings });
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    const [, name] = /function "(\w+)" not defined$/.exec(message) ?? [];
    throw name
      ? new FairleadError(code, `${message}; a parameter is written {{ .${name} }}`, thrown)
      : thrown;
  }
}

function dataOf(set: SetParameters): unknown {
  const known = converted.get(set);
  if (known !== undefined) return known;
  const data = goValue(set);
  converted.set(set, data);
  return data;
}

/** Whether a text failed because the parameters lack something that it names. */
export const isMissingKey = (thrown: unknown): boolean =>
  thrown instanceof FairleadError && thrown.message.includes('map has no entry for key');
