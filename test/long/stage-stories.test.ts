/** Many random stories of a stage to which jobs and requests come at once, others each time. */
import { describeStageStories } from '../integration/changes/stage-stories.trials.js';

const MINUTES_EACH = 5;

describeStageStories({ trials: 100_000, seed: Date.now() % 1_000_000_000, mostMs: MINUTES_EACH * 60_000 });
