import { expect, test } from 'vitest';
import { titleIn } from './box-width.ts';

test.each([
  { width: 264, name: 'web-5f9c8d7b6-x2x4v', age: '11s', shown: ['web-5f9c8d7b6-x2x4v', '11s'] },
  { width: 152, name: 'web', age: '11s', shown: ['web', '11s'] },
  { width: 152, name: 'hello-00001', age: '11s', shown: ['hello-00001', ''] },
  { width: 152, name: 'hello-00001-deployment-t6kss', age: '11s', shown: ['hell…t-t6kss', ''] },
  { width: 60, name: 'hello-00001', age: '', shown: ['h…1', ''] },
])('a box of $width pixels shows $name as $shown', ({ width, name, age, shown }) => {
  const title = titleIn(width, { name, age });
  expect([title.name, title.age]).toEqual(shown);
});
