import { describePipelining } from '../system/pipelined-requests.trials.js';

if (process.platform === 'linux') describePipelining({ times: 10, attackMs: 8_000, slowdown: 3 });
