import { describe, expect, test } from 'vitest';
import { isExempt, type ProxyTarget, proxyFor } from './proxy.ts';

const to = (host: string, port = 443): ProxyTarget => ({ scheme: 'https', host, port });

describe('exceptions from a proxy, in the grammar of Go (PRX-1)', () => {
  test.each([
    ['*', 'any.where', true],
    ['example.com', 'example.com', true],
    ['example.com', 'git.example.com', true],
    ['example.com', 'notexample.com', false],
    ['.example.com', 'example.com', false],
    ['.example.com', 'git.example.com', true],
    ['*.example.com', 'git.example.com', true],
    ['*.example.com', 'example.com', false],
    [' Example.COM , x', 'EXAMPLE.com', true],
    ['example.com:443', 'example.com', true],
    ['example.com:8443', 'example.com', false],
    ['10.0.0.0/8', '10.1.2.3', true],
    ['10.0.0.0/8', '11.1.2.3', false],
    ['10.0.0.0/8', 'ten.example.com', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3:443', '10.1.2.3', true],
    ['10.1.2.3:80', '10.1.2.3', false],
    ['fd00::/8', 'fd00::1', true],
    ['[fd00::1]:443', 'fd00::1', true],
    ['fd00:0:0::1', 'fd00::1', true],
    ['10.0.0.0/99', '10.0.0.1', false],
    [',,', 'example.com', false],
    ['', 'example.com', false],
    ['', 'localhost', true],
    ['', '127.0.0.1', true],
    ['', '::1', true],
  ])('%j for %s: %s', (noProxy, host, exempt) => {
    expect(isExempt(to(host), noProxy)).toBe(exempt);
  });
});

describe('which proxy', () => {
  test('the repository comes first, then the installation by what is spoken, and ssh has only its own', () => {
    const settings = { http: 'http://h:1', https: 'http://s:2' };
    expect(proxyFor(to('x'), { proxy: 'socks5://own' }, settings)).toMatchObject({
      kind: 'socks5',
      host: 'own',
      port: 1080,
      href: 'socks5h://own:1080',
    });
    expect(proxyFor(to('x'), {}, settings)).toMatchObject({ host: 's', port: 2 });
    expect(proxyFor({ ...to('x'), scheme: 'http' }, {}, settings)).toMatchObject({ host: 'h' });
    expect(proxyFor({ ...to('x'), scheme: 'ssh' }, {}, settings)).toBeUndefined();
    expect(proxyFor(to('x'), { proxy: 'plain:3128' }, {})).toMatchObject({ kind: 'http', port: 3128 });
  });

  test('one that cannot be read is refused without being printed', () => {
    expect(() => proxyFor(to('x'), { proxy: 'ftp://joe:hunter2@h' }, {})).toThrow(
      expect.objectContaining({ code: 'InvalidSpec', message: expect.not.stringContaining('hunter2') }),
    );
  });
});
