import type { ListGenerator } from '#base/model';
import { FairleadError, isObject } from '#base/std';
import { parse } from '#lang/yaml';
import { setField } from './flatten.ts';
import type { SetParameters, TemplateMode } from './set-parameters.ts';

/** compat sources ASL-1, ASL-2: the elements, then those of `elementsYaml`. Throws InvalidSpec. */
export function listParameters(generator: ListGenerator, mode: TemplateMode): SetParameters[] {
  const { elements = [], elementsYaml = '' } = generator;
  const written = mode === 'go' ? elements : elements.map(flatElement);
  return [...written, ...yamlElements(elementsYaml)];
}

function flatElement(element: SetParameters, at: number): SetParameters {
  const flat: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(element)) {
    const path = `elements[${at}].${name}`;
    if (name !== 'values') {
      setField(flat, name, stringAt(path, value));
    } else if (isObject(value)) {
      for (const [key, inner] of Object.entries(value))
        flat[`values.${key}`] = stringAt(`${path}.${key}`, inner);
    } else {
      throw new FairleadError(
        'InvalidSpec',
        `error parsing values map: ${path} must be an object of strings`,
      );
    }
  }
  return flat;
}

function stringAt(path: string, value: unknown): string {
  if (typeof value === 'string') return value;
  throw new FairleadError(
    'InvalidSpec',
    `error parsing value as string: ${path} is ${typeof value === 'object' ? 'not a string' : `the ${typeof value} ${value}`}; put it in quotes, or set goTemplate: true`,
  );
}

function yamlElements(text: string): SetParameters[] {
  const list = text.trim() === '' ? [] : (parse(text, { name: 'elementsYaml' }) ?? []);
  if (!Array.isArray(list))
    throw new FairleadError('InvalidSpec', 'elementsYaml must be a YAML list of objects');
  return list.map((item: unknown, at) => {
    if (item === null || isObject(item)) return item ?? {};
    throw new FairleadError('InvalidSpec', `elementsYaml: item ${at} must be an object`);
  });
}
