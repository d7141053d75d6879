import { expect, test } from 'vitest';
import { factsIn, hasRoomFor, titleIn } from './box-width.ts';
import type { ResourceFact } from './resource-line.ts';

test.each([
  { width: 264, name: 'web-5f9c8d7b6-x2x4v', age: '11s', shown: ['web-5f9c8d7b6-x2x4v', '11s'] },
  { width: 152, name: 'web', age: '11s', shown: ['web', '11s'] },
  { width: 152, name: 'hello-00001', age: '11s', shown: ['hello-00001', ''] },
  { width: 152, name: 'hello-00001-deployment-t6kss', age: '11s', shown: ['hell…nt-t6kss', ''] },
  { width: 60, name: 'hello-00001', age: '', shown: ['h…1', ''] },
])('a box of $width pixels shows $name as $shown', ({ width, name, age, shown }) => {
  const title = titleIn(width, { name, age });
  expect([title.name, title.age]).toEqual(shown);
});

test.each([
  ['hello-00001-deployment', 'hello-00001', '…-deployment'],
  ['hello-00001-deployment-pxl92f4m-2lqlh', 'hello-00001-deployment-pxl92f4m', '…-2lqlh'],
  ['candidate-hello-of-somebody', 'hello', 'cand…somebody'],
  ['hello-00001', 'hello', 'hello-00001'],
])('what %s shares with its owner %s is left out where there is no room: %s', (name, owner, shown) => {
  expect(titleIn(152, { name, age: '' }, owner).name).toBe(shown);
});

test('words have room or have none', () => {
  expect([hasRoomFor(152, 'Suspended'), hasRoomFor(152, 'Suspended · OutOfSync')]).toEqual([true, false]);
});

const ready: ResourceFact = { text: '2/2 ready', kind: 'plain', short: '2/2' };
const image: ResourceFact = { text: 'helloworld:2.0', kind: 'image' };
const split: ResourceFact = { text: 'hello-00001 80%, hello-00002 20%', kind: 'traffic', short: '80/20 %' };
const crash: ResourceFact = { text: 'CreateContainerConfigError', kind: 'trouble' };

test.each<[string, { width: number; head: string }, ResourceFact[], string[]]>([
  [
    'all of it where there is room',
    { width: 264, head: 'Pod' },
    [ready, image],
    ['2/2 ready', 'helloworld:2.0'],
  ],
  ['no fact in half', { width: 152, head: 'Pod' }, [ready, image], ['2/2 ready']],
  ['what fits behind what does not', { width: 152, head: 'Pod' }, [image, ready], ['2/2 ready']],
  ['the short form', { width: 152, head: 'Deployment' }, [ready, image], ['2/2']],
  ['the shares of a split', { width: 152, head: 'Service' }, [split], ['80/20 %']],
  ['trouble in any case', { width: 152, head: 'Deployment' }, [crash, ready], ['CreateContainerConfigError']],
])('a second line shows %s', (_, { width, head }, facts, shown) => {
  expect(factsIn(width, { head, facts, hasSync: false }).map(({ text }) => text)).toEqual(shown);
});
