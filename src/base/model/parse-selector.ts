import { FairleadError } from '#base/std';
import {
  checkedRequirement,
  inOrder,
  type Requirement,
  type RequirementOperator,
  type Selector,
} from './selector.ts';

type Token = { kind: 'word' | 'symbol' | 'end'; text: string; at: number };

const binary = ['=', '==', '!=', 'in', 'notin', '>', '<'] as const;

/**
 * Reads the text form, `a=b,c!=d,e in (x,y),!f,g,h>5`, exactly as Kubernetes does; empty text selects
 * everything. Throws InvalidSpec with the position of the first thing that does not fit.
 */
export function parseSelector(text: string): Selector {
  const tokens = scan(text);
  const reader = new Reader(text, tokens);
  if (reader.peek().kind === 'end') return [];
  const requirements = [reader.requirement()];
  while (reader.peek().kind !== 'end') {
    reader.expect(',');
    requirements.push(reader.requirement());
  }
  return inOrder(requirements);
}

const pattern = /[ \t\r\n]+|(?<symbol>==|!=|[=!(),<>])|(?<word>[^=!(),<> \t\r\n]+)/g;

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  for (const { groups, index } of text.matchAll(pattern)) {
    const found = groups?.symbol ?? groups?.word;
    if (found !== undefined) tokens.push({ kind: groups?.word ? 'word' : 'symbol', text: found, at: index });
  }
  tokens.push({ kind: 'end', text: 'end of string', at: text.length });
  return tokens;
}

class Reader {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  peek(): Token {
    return this.#tokens[this.#next] ?? { kind: 'end', text: 'end of string', at: this.#text.length };
  }

  requirement(): Requirement {
    const start = this.peek().at;
    const requirement = this.#requirement();
    try {
      return checkedRequirement(requirement);
    } catch (error) {
      throw this.#error(start, FairleadError.from(error).message);
    }
  }

  #requirement(): Requirement {
    if (this.#takes('!')) return { key: this.#word('identifier'), operator: '!', values: [] };
    const key = this.#word('!, identifier, or end of string');
    if (this.#ends()) return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    if (operator === 'in' || operator === 'notin') return { key, operator, values: this.#values() };
    return { key, operator, values: [this.#ends() ? '' : this.#word('identifier')] };
  }

  expect(symbol: string): void {
    if (!this.#takes(symbol)) throw this.#unexpected(`'${symbol}'`);
  }

  /** A set in parentheses. compat: nothing between two commas is the empty value. */
  #values(): string[] {
    this.expect('(');
    const values = new Set<string>();
    do {
      const { kind, text } = this.peek();
      values.add(kind === 'word' ? text : '');
      if (kind === 'word') this.#next++;
    } while (this.#takes(','));
    if (!this.#takes(')')) throw this.#unexpected("',' or ')'");
    return [...values].toSorted();
  }

  #operator(): RequirementOperator {
    const found = binary.find((operator) => operator === this.peek().text);
    if (!found) throw this.#unexpected(`one of ${binary.join(', ')}`);
    this.#next++;
    return found;
  }

  #word(expected: string): string {
    const { kind, text } = this.peek();
    if (kind !== 'word') throw this.#unexpected(expected);
    this.#next++;
    return text;
  }

  #takes(symbol: string): boolean {
    const { kind, text } = this.peek();
    const taken = kind === 'symbol' && text === symbol;
    if (taken) this.#next++;
    return taken;
  }

  #ends(): boolean {
    const { kind, text } = this.peek();
    return kind === 'end' || (kind === 'symbol' && text === ',');
  }

  #unexpected(expected: string): FairleadError {
    const { text, at } = this.peek();
    return this.#error(at, `found '${text}', expected: ${expected}`);
  }

  #error(at: number, why: string): FairleadError {
    return new FairleadError(
      'InvalidSpec',
      `unable to parse label selector "${this.#text}" at character ${at + 1}: ${why}`,
    );
  }
}
