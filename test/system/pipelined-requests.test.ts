import { describePipelining } from './pipelined-requests.trials.js';

if (process.platform === 'linux') describePipelining({ times: 1, attackMs: 3_000, slowdown: null });
