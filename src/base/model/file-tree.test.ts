import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareBytes, isWithin, joinPath, linkTarget, normalizePath, parentPath } from './file-path.ts';
import { escapingLink, followLinks, walk } from './file-tree.ts';
import { memoryTree } from './memory-tree.ts';
import { answersAlike, recordingTree } from './recording-tree.ts';
import { subtree } from './subtree.ts';
import { decodeMarkedText, encodeText } from './text.ts';
import { createFileTree } from './tree-entries.ts';

describe('a path', () => {
  test.each([
    ['a/b', 'a/b'],
    ['/a//b/', 'a/b'],
    ['./a/./b', 'a/b'],
    ['a/../b', 'b'],
    ['a/b/../../', ''],
    ['.', ''],
    ['', ''],
    ['..a/b..', '..a/b..'],
  ])('%j is cleaned to %j', (path, clean) => {
    expect(normalizePath(path)).toBe(clean);
  });
  test.each(['..', 'a/../..', '/../x', 'a/../../a'])('%j may not leave the root', (path) => {
    expect(() => normalizePath(path)).toThrow(/leaves the root/);
  });
  test('cleaning twice changes nothing', () => {
    const part = fc.constantFrom('a', 'b', '.', '', 'c..', '..d');
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const clean = normalizePath(parts.join('/'));
        expect(normalizePath(clean)).toBe(clean);
      }),
    );
  });
  test('is within a directory by components, not by text', () => {
    expect(isWithin('apps/web', 'apps')).toBe(true);
    expect(isWithin('apps', 'apps')).toBe(true);
    expect(isWithin('apps-old/web', 'apps')).toBe(false);
    expect(isWithin('anything', '')).toBe(true);
  });
  test('joins and has a parent', () => {
    expect(joinPath('overlays/prod', '../../base')).toBe('base');
    expect(joinPath('a', '/b')).toBe('a/b');
    expect(parentPath('a/b')).toBe('a');
    expect(parentPath('a')).toBe('');
  });
});

describe('a link (VFT-4)', () => {
  test('is relative to where it stands', () => {
    expect(linkTarget('a/b/link', '../c')).toBe('a/c');
    expect(linkTarget('link', './x//y')).toBe('x/y');
  });
  test('is out of bounds when absolute, or when it leaves the root even to come back', () => {
    expect(linkTarget('a/link', '/etc/passwd')).toBeUndefined();
    expect(linkTarget('a/link', '../../a/x')).toBeUndefined();
  });
});

describe('byte order', () => {
  test('is that of UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });
});

const repo = memoryTree({
  'README.md': 'hello',
  'app/b.yaml': 'b: 1',
  'app/a.yaml': '\ufeffa: 1',
  'app/Z.yaml': 'z: 1',
  'app/sub/c.yaml': 'c: 1',
  'bin/run': { content: '#!/bin/sh', executable: true },
  latest: { symlink: 'app' },
  'app/up': { symlink: '../README.md' },
  dangling: { symlink: 'nowhere' },
  'vendor/lib': { submodule: '1234567890123456789012345678901234567890' },
});

describe('a tree', () => {
  test('lists names in byte order, and a submodule as empty (VFT-2, VFT-8)', () => {
    expect(repo.list('app')).toEqual(['Z.yaml', 'a.yaml', 'b.yaml', 'sub', 'up']);
    expect(repo.list('')).toEqual(['README.md', 'app', 'bin', 'dangling', 'latest', 'vendor']);
    expect(repo.list('vendor/lib')).toEqual([]);
    expect(() => repo.list('README.md')).toThrow('README.md is not a directory');
    expect(() => repo.list('missing')).toThrow('nothing at missing');
  });
  test('reads bytes and text, the byte order mark removed (VFT-7)', async () => {
    expect(await repo.text('app/a.yaml')).toBe('a: 1');
    expect((await repo.read('app/a.yaml')).length).toBe(7);
    await expect(repo.read('app')).rejects.toThrow('app is a directory, not a file');
    await expect(repo.text('missing.yaml')).rejects.toThrow('nothing at missing.yaml');
  });
  test('follows links in parents and in last place, and kind() does not follow the last', async () => {
    expect(await repo.text('latest/b.yaml')).toBe('b: 1');
    expect(await repo.text('latest/up')).toBe('hello');
    expect(repo.kind('latest')).toBe('symlink');
    expect(repo.kind('latest/up')).toBe('symlink');
    expect(repo.link('latest/up')).toBe('../README.md');
    expect(repo.resolve('latest/up')).toBe('README.md');
    expect(repo.list('latest')).toEqual(repo.list('app'));
    expect(repo.size('latest/b.yaml')).toBe(4);
    expect(repo.isExecutable('bin/run')).toBe(true);
    expect(repo.isExecutable('app')).toBe(false);
  });
  test('does not have what is missing, dangling or above the root', async () => {
    for (const path of ['missing', 'dangling', '../x', 'app/../../x', 'README.md/x', 'dangling/x']) {
      expect(repo.has(path), path).toBe(false);
      expect(repo.hash(path), path).toBeUndefined();
    }
    expect(repo.kind('dangling')).toBe('symlink');
    expect(repo.kind('../x')).toBeUndefined();
    await expect(repo.read('../x')).rejects.toThrow(/leaves the root/);
  });
  test('the root is a directory under any of its names', () => {
    for (const path of ['', '.', '/', 'app/..']) expect(repo.kind(path), path).toBe('dir');
  });
  test('the hash of a directory changes exactly when something in it does', () => {
    const tree = (content: string) => memoryTree({ 'a/x': content, 'b/y': 'same' });
    expect(tree('1').hash('a')).toBe(tree('1').hash('a'));
    expect(tree('1').hash('a')).not.toBe(tree('2').hash('a'));
    expect(tree('1').hash('b')).toBe(tree('2').hash('b'));
    expect(tree('1').hash('')).not.toBe(tree('2').hash(''));
    const bytes = (byte: number) => memoryTree({ x: new Uint8Array([0xff, byte]) }).hash('x');
    expect(bytes(0xfe)).not.toBe(bytes(0xfd));
  });
  test("keeps Git's hashes where the listing has them", () => {
    const listing = [
      { path: 'a', kind: 'dir', hash: 'tree1' },
      { path: 'a/x', kind: 'file', hash: 'blob1', size: 3 },
    ] as const;
    const tree = createFileTree(listing, async () => encodeText('abc'));
    expect([tree.hash('a'), tree.hash('a/x'), tree.list('a')]).toEqual(['tree1', 'blob1', ['x']]);
  });
});

describe('links that misbehave', () => {
  const tree = memoryTree({
    loop: { symlink: 'pool' },
    pool: { symlink: 'loop' },
    'dir/self': { symlink: '.' },
    'dir/x': 'x',
    out: { symlink: '../secret' },
    abs: { symlink: '/etc/passwd' },
    '.git/out': { symlink: '../../x' },
  });
  test('a loop is an error, not a hang', async () => {
    expect(() => tree.has('loop')).toThrow('too many symlinks in a row at loop');
    await expect(tree.read('loop')).rejects.toThrow(/too many symlinks/);
  });
  test('a directory that contains itself may be entered a few times', async () => {
    expect(await tree.text('dir/self/self/x')).toBe('x');
    expect(() => tree.has(`dir/${'self/'.repeat(50)}x`)).toThrow(/too many symlinks/);
    expect(() => followLinks(tree, 'dir/self/self/x', 1)).toThrow(/too many symlinks/);
  });
  test('an escape is an error when it is touched, and is found by the scan (VFT-5)', () => {
    expect(() => tree.resolve('out')).toThrow('symlink out points out of its tree');
    expect(() => tree.resolve('abs')).toThrow('symlink abs points out of its tree');
    expect(escapingLink(tree)).toBe('abs');
    expect(escapingLink(repo)).toBeUndefined();
  });
});

test('a walk is depth first, by name, and does not follow links (VFT-2)', () => {
  const names = [...walk(repo, 'app')].map(({ path }) => path);
  expect(names).toEqual(['app/Z.yaml', 'app/a.yaml', 'app/b.yaml', 'app/sub', 'app/sub/c.yaml', 'app/up']);
  const shallow = [...walk(repo, '', () => false)].map(({ path }) => path);
  expect(shallow).toEqual([...repo.list('')]);
});

describe('a subtree', () => {
  test('is the directory, seen as a whole tree', async () => {
    const app = subtree(repo, 'latest');
    expect(app.list('')).toEqual(repo.list('app'));
    expect(await app.text('sub/c.yaml')).toBe('c: 1');
    expect(app.hash('sub')).toBe(repo.hash('app/sub'));
    expect(app.size('b.yaml')).toBe(4);
    expect(subtree(repo, 'bin').isExecutable('run')).toBe(true);
    expect(app.has('missing')).toBe(false);
  });
  test('cannot be left, neither by path nor by link', () => {
    const app = subtree(repo, 'app');
    expect(app.has('../README.md')).toBe(false);
    expect(() => app.has('up')).toThrow(/points out of its tree/);
    expect(() => subtree(repo, 'missing')).toThrow('nothing at missing');
  });
});

describe('a recording', () => {
  const before = { 'app/a.yaml': 'a', 'app/b.yaml': 'b', 'other/x': 'x', link: { symlink: 'app/a.yaml' } };
  const record = async () => {
    const { tree, trace } = recordingTree(memoryTree(before));
    tree.list('app');
    tree.has('app/kustomization.yaml');
    await tree.text('app/a.yaml');
    await tree.text('app/a.yaml');
    await tree.read('link');
    await expect(tree.read('gone')).rejects.toThrow();
    expect(() => tree.list('gone')).toThrow();
    return trace();
  };
  test('holds each question once, in order', async () => {
    const asked = (await record()).map(({ question: ask, path }) => `${ask} ${path}`);
    expect(asked).toEqual([
      'list app',
      'has app/kustomization.yaml',
      'content app/a.yaml',
      'content link',
      'content gone',
      'list gone',
    ]);
  });
  test.each<[string, boolean, Parameters<typeof memoryTree>[0]]>([
    ['nothing changed', true, before],
    ['a file nobody read changed', true, { ...before, 'app/b.yaml': 'B', 'other/x': 'X' }],
    ['a file that was read changed', false, { ...before, 'app/a.yaml': 'A' }],
    ['a file appeared in a listed directory', false, { ...before, 'app/c.yaml': 'c' }],
    ['a probed file appeared', false, { ...before, 'app/kustomization.yaml': '' }],
    ['a file that could not be read appeared', false, { ...before, gone: '' }],
    ['a link now points elsewhere', false, { ...before, link: { symlink: 'other/x' } }],
  ])('another tree answers alike when %s: %s', async (_, alike, files) => {
    expect(answersAlike(memoryTree(files), await record())).toBe(alike);
  });
  test('passes every other question through and remembers it', () => {
    const { tree, trace } = recordingTree(repo);
    const answers = [
      tree.kind('app'),
      tree.resolve('latest'),
      tree.link('latest'),
      tree.isExecutable('bin/run'),
    ];
    expect(answers).toEqual(['dir', 'app', 'app', true]);
    expect([tree.hash('bin'), tree.size('README.md')]).toEqual([repo.hash('bin'), 5]);
    expect(trace()).toHaveLength(6);
    expect(answersAlike(repo, trace())).toBe(true);
  });
});

test('UTF-16 is read where a byte order mark announces it (VFT-7)', () => {
  expect(decodeMarkedText(new Uint8Array([0xff, 0xfe, 0x61, 0, 0xe9, 0]))).toBe('aé');
  expect(decodeMarkedText(new Uint8Array([0xfe, 0xff, 0, 0x61, 0, 0xe9]))).toBe('aé');
  expect(decodeMarkedText(encodeText('\ufeffaé'))).toBe('aé');
});
