import { expect, test } from 'vitest';
import { virtualClock } from '#base/std';
import { compileTemplate, applicationSetFunctions as functions } from '#lang/go-template';
import { templateHost } from './template-host.ts';

const host = templateHost({ clock: virtualClock({ start: new Date('2026-03-01T10:00:00Z') }) });
const run = (text: string): string => compileTemplate('t', text, { functions, host }).execute({});

test('the clock is that of the controller', () => {
  expect(run('{{ now | htmlDate }}')).toBe('2026-03-01');
});

test('a password is derived as sprig derives it', () => {
  expect(run('{{ derivePassword 1 "long" "pass word" "üser" "example.com" }}')).toBe("Yamx6'JekhBoho");
});

test('a text of any length is encrypted and decrypted, each time to another text', () => {
  const both = '(encryptAES "pass" $text | decryptAES "pass")';
  const text = `{{ range until 40 }}{{ $text := repeat . "é" }}{{ if ne $text ${both} }}{{ . }}{{ end }}{{ end }}`;
  expect(run(text)).toBe('');
  expect(run('{{ encryptAES "p" "x" }}')).not.toBe(run('{{ encryptAES "p" "x" }}'));
});

test.each([
  ['an unencrypted text', '{{ decryptAES "p" "YQ==" }}', 'the text was not encrypted by encryptAES'],
  ['a part of a block', '{{ decryptAES "p" "MTIzNDU2Nzg5MDEyMzQ1Njc=" }}', 'it has no whole blocks'],
  [
    'another password',
    '{{ decryptAES "another" "30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ=" }}',
    'the password is not the one',
  ],
])('%s is refused', (_name, text, message) => {
  expect(() => run(text)).toThrow(message);
});

test('the budget of a template ends before many passwords are derived', () => {
  expect(() => run('{{ range until 1000 }}{{ derivePassword 1 "long" "p" "u" "s" }}{{ end }}')).toThrow(
    'steps',
  );
});
