/** Replays the deliveries of a definition that failed permanently or were cancelled in a range of time. */
import { defineStepQueue } from '../define-queue.js';

export const replayDeliveries = defineStepQueue('replay-deliveries', 'webhook', 'replay');
