// Ways to behave and to misbehave in a worker.
import { FairleadError } from '#base/std';

export const functions = {
  echo: (...args) => args,
  add: (a, b) => a + b,
  pid: () => process.pid,
  environment: () => Object.keys(process.env),
  types: (...args) => args.map((arg) => arg.constructor.name),
  later: async (value) => value,
  hang: () => {
    for (;;);
  },
  never: () => new Promise(() => {}),
  refuse: (code, message) => {
    throw new FairleadError(code, message);
  },
  blunder: () => undefined.field,
  throwText: () => {
    throw 'just text';
  },
  exit: (code) => process.exit(code),
  fallOver: () => {
    queueMicrotask(() => {
      throw new Error('nobody catches this');
    });
    return new Promise(() => {});
  },
  recurse: function recurse(n) {
    return recurse(n + 1) + 1;
  },
  fillMap: () => {
    const kept = new Map();
    for (let i = 0; ; i++) kept.set(i, i);
  },
  fillBuffers: () => {
    const kept = [];
    for (;;) kept.push(new Uint8Array(20_000_000).fill(1));
  },
  splitFar: () => 'a,'.repeat(2e8).split(',').length,
  returnFunction: () => () => 1,
};
