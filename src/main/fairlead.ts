#!/usr/bin/env node
import { createLogger } from './logger.ts';

const log = createLogger(process.stderr, {
  format: process.stderr.isTTY ? 'pretty' : 'json',
  level: process.env.FAIRLEAD_LOG_LEVEL ?? 'info',
});
log.info('not supported yet: nothing to start', { version: '0.1.0' });
