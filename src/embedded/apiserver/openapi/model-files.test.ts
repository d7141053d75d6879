import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readModel, readModels } from './model-files.ts';

const declaration = `/**
 * A header that nobody wants
 */
/**
* Thing is what it\\'s about.
*/
export declare class V1Thing {
    /**
    * The \\"size\\" of it.
    */
    'size'?: number;
    /**
    * How its list merges.
    */
    'x_kubernetes_list_type'?: string;
    'bare': string;
}
`;

function folder(files: Record<string, string>): string {
  const dir = mkdtempSync(join(tmpdir(), 'fairlead-models-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text);
  return dir;
}

test('a model is read from its declaration, without running it', () => {
  expect(readModel(folder({ 'V1Thing.d.ts': declaration }), 'V1Thing')).toEqual({
    about: "Thing is what it's about.",
    fields: { size: 'The "size" of it.', xkuberneteslisttype: 'How its list merges.' },
  });
});

test('a model that is not there is no model', () => {
  expect(readModel(folder({}), 'V1Thing')).toBeUndefined();
});

test('a build carries stable versions only', () => {
  const names = ['V1Thing', 'V2Thing', 'CoreV1Thing', 'V1beta1Thing', 'V1alpha1Thing', 'all'];
  const files = Object.fromEntries(names.map((name) => [`${name}.d.ts`, declaration]));
  expect(Object.keys(readModels(folder(files)))).toEqual(['CoreV1Thing', 'V1Thing', 'V2Thing']);
});
