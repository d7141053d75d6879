import type { Parser } from './parser.ts';
import type { Assertion, Bind, Param } from './syntax.ts';

/** The rest of an assertion after `assert`. */
export function assertion(p: Parser, at: number): Assertion {
  const condition = p.expression();
  return p.accept(':') ? { at, condition, message: p.expression() } : { at, condition };
}

/** `name = value` or `name(params) = body`. */
export function bind(p: Parser, earlier: readonly Bind[]): Bind {
  const { text: name, at } = p.expectName('a name');
  if (earlier.some((one) => one.name === name)) throw p.fault(`local ${name} is defined twice`, at);
  const params = p.is('(') ? parameters(p) : undefined;
  p.expect('=');
  const value = p.expression();
  return { name, at, value: params ? p.node('function', at, { params, body: value }) : value };
}

export function parameters(p: Parser): Param[] {
  const params: Param[] = [];
  p.expect('(');
  while (!p.accept(')')) {
    const { text: name, at } = p.expectName('the name of a parameter');
    if (params.some((one) => one.name === name)) throw p.fault(`parameter ${name} is named twice`, at);
    params.push(p.accept('=') ? { name, at, fallback: p.expression() } : { name, at });
    if (!p.is(')')) p.expect(',');
  }
  return params;
}
