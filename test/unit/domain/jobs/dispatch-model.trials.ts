/** The explorations of the dispatch protocol, which a short and a long test run. */
import {
  initialState,
  isOver,
  keyOfState,
  lineOf,
  type Move,
  movesFrom,
  type Scenario,
  type State,
} from '../../../support/models/dispatch-model.js';
import { type Exploration, explore } from '../../../support/models/explore.js';
import { JobRowsModel, type JobSpec, type PlantedBugs } from '../../../support/models/job-rows-model.js';

/** Smaller than the real one, so that three chunks do not fit into it. */
const WINDOW = { ofJob: 2, ofSite: 3 };
const MOST_STATES = 4_000_000;

export const EXCLUSIVE: JobSpec = { concurrent: false, passes: [1, 1, 1] };
/** It fits into the window, which the files above do not. */
export const SHORT: JobSpec = { concurrent: false, passes: [1, 1] };
export const CONCURRENT: JobSpec = { concurrent: true, passes: [1, 1, 1] };
/** A row of its second chunk refers to another one. */
export const WITH_PASSES: JobSpec = { concurrent: false, passes: [1, 2, 1] };
export const SMALL: JobSpec = { concurrent: false, small: true, passes: [] };

/**
 * Explores the protocol with two workers, and prints the number of states.
 * @throws Error with the shortest story, when an invariant is violated and no bug was planted
 */
export function exploreDispatch(
  name: string,
  specs: readonly JobSpec[],
  over: Pick<Scenario, 'faults'> & Partial<Scenario>,
  bugs: PlantedBugs = {},
): Exploration {
  const scenario: Scenario = { model: new JobRowsModel(specs, WINDOW, bugs), workers: 2, ...over };
  const exploration = explore<State, Move>(
    {
      initial: initialState(scenario),
      keyOf: keyOfState,
      movesFrom: (state) => movesFrom(scenario, state),
      isOver: (state) => isOver(scenario, state),
      lineOf,
    },
    MOST_STATES,
  );
  const { states, moves, depth, violation } = exploration;
  const story = violation === null ? [] : ['', ...violation.story, violation.what];
  console.log(`      ${name}: ${states} states, ${moves} moves, depth ${depth}${story.join('\n        ')}`);
  if (violation !== null && Object.keys(bugs).length === 0) throw new Error(story.join('\n'));
  return exploration;
}
