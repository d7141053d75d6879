import { expect, test } from 'vitest';
import { type KubeObject, keyOf } from '#base/model';
import { type ObjectChange, ObjectStore } from './object-store.ts';
import { slimmed } from './slim.ts';

const pod = (name: string, resourceVersion: string, uid = name): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'shop', uid, resourceVersion },
});

function held() {
  const seen: string[] = [];
  const box = new ObjectStore((_key, { before, after }: ObjectChange) => {
    seen.push(`${before?.metadata.resourceVersion ?? '-'}>${after?.metadata.resourceVersion ?? '-'}`);
  });
  return { box, seen };
}

test('an older event does not undo a newer write', () => {
  const { box, seen } = held();
  box.put(pod('a', '100'));
  expect(box.put(pod('a', '99'))).toBe(false);
  expect(box.put(pod('a', '100'))).toBe(false);
  box.put(pod('a', '101'));
  expect(seen).toEqual(['->100', '100>101']);
});

test('of two copies of one state the later is held, which nobody needs to be told; never one with less in it', () => {
  const { box, seen } = held();
  const [whole, again] = [pod('a', '100'), pod('a', '100')];
  box.put(whole);
  box.put(slimmed(pod('a', '100')));
  expect(box.get(keyOf(whole))).toBe(whole);
  box.put(again);
  expect(box.get(keyOf(whole))).toBe(again);
  expect(seen).toEqual(['->100']);
});

test('a late deletion does not remove the object that took the name since', () => {
  const { box } = held();
  box.put(pod('a', '9', 'old'));
  box.put(pod('a', '11', 'new'));
  box.drop(pod('a', '10', 'old'));
  expect(box.get(keyOf(pod('a', '0')))?.metadata.uid).toBe('new');
  box.drop(pod('a', '12', 'new'));
  expect(box.size).toBe(0);
});

test('a late answer about an object that is gone does not bring it back', () => {
  const { box } = held();
  box.put(pod('a', '5', 'first'));
  box.drop(pod('a', '6', 'first'));
  expect(box.put(pod('a', '6', 'first'))).toBe(false);
  expect(box.size).toBe(0);
  expect(box.put(pod('a', '7', 'second'))).toBe(true);
});

test('a new list drops what it does not name, except what was written after it', () => {
  const { box, seen } = held();
  for (const object of [pod('a', '5'), pod('b', '6'), pod('c', '20')]) box.put(object);
  box.replace([...box.values()].map(keyOf), [pod('a', '7')], '10');
  expect([...box.values()].map((o) => o.metadata.name)).toEqual(['a', 'c']);
  expect(seen.slice(3)).toEqual(['5>7', '6>-']);
});

test('what was only forgotten may be seen again, the same as it was', () => {
  const { box, seen } = held();
  box.put(pod('a', '5'));
  box.forget(keyOf(pod('a', '5')));
  expect(box.size).toBe(0);
  expect(box.put(pod('a', '5'))).toBe(true);
  box.forget(keyOf(pod('b', '1')));
  expect(seen).toEqual(['->5', '5>-', '->5']);
});

test('a write of ours is owed until a watch or a list tells of it, a deletion until the object is gone', () => {
  const { box } = held();
  const owes = (object: KubeObject, isGone = false) => box.owes(object, isGone);
  box.write(pod('a', '100'));
  box.put(pod('a', '99')); // what was told of before it
  expect(owes(pod('a', '100'))).toBe(true);
  box.put(pod('a', '100'));
  expect(owes(pod('a', '100'))).toBe(false);

  box.put(pod('b', '101'));
  box.write(pod('b', '101')); // the watch was quicker than the answer
  expect(owes(pod('b', '101'))).toBe(false);

  box.write(pod('c', '102'));
  box.replace([...box.values()].map(keyOf), [pod('b', '101'), pod('c', '102')], '103');
  expect([owes(pod('c', '102')), owes(pod('a', '100'), true)]).toEqual([false, false]);

  expect(owes(pod('c', '102'), true)).toBe(true);
  box.drop(pod('c', '104'));
  expect(owes(pod('c', '102'), true)).toBe(false);
  box.put(pod('c', '105', 'another'));
  expect(owes(pod('c', '102'), true)).toBe(false);
});
