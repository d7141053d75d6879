import type { Reporter } from 'vitest/node';

export declare class Slowest implements Reporter {}
