import { FairleadError, isObject } from '#base/std';
import type { SetRenderer } from '../template/set-renderer.ts';
import { flatten } from './flatten.ts';
import type { SetParameters } from './set-parameters.ts';
import { withValues } from './values.ts';

type PluginInput = {
  readonly values?: Readonly<Record<string, string>>;
  readonly input?: { readonly parameters?: SetParameters };
};

/**
 * compat sources ASX-1, ASX-2: the sets of a plugin's reply `{"output":{"parameters":[{…}]}}`, each with the input that the
 * plugin was given. Throws RenderFailed for a reply of another shape.
 */
export function pluginParameters(
  { input, values }: PluginInput,
  reply: unknown,
  renderer: SetRenderer,
): SetParameters[] {
  const generator = { input: { parameters: input?.parameters ?? {} } };
  return listIn(reply).map((item) => {
    const own = renderer.mode === 'go' ? item : flatten(item);
    return withValues({ ...own, generator }, values, renderer);
  });
}

function listIn(reply: unknown): SetParameters[] {
  const output = isObject(reply) ? reply.output : undefined;
  const list = isObject(output) ? (output.parameters ?? []) : undefined;
  if (!Array.isArray(list) || !list.every(isObject)) {
    throw new FairleadError(
      'RenderFailed',
      'the plugin replied without a list of objects in output.parameters; it must answer {"output":{"parameters":[{…}]}}',
    );
  }
  return list;
}
