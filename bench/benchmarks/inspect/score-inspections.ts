/** How often inspections are right about files whose answers are known. */
import { inspectSource } from '../../../src/domain/inspection/inspect-source.js';
import { atLeast, atMost, type BenchmarkOptions, type BenchmarkResult } from '../../benchmark.js';
import { scoreKinds } from '../../data/inspection/kind-files.js';
import { LABELLED_FILES, labelledFile } from '../../data/inspection/labelled-files.js';
import { type Scores, scoreFile, scoreLines } from '../../data/inspection/score-labelled.js';
import { resultOf } from '../../measure/result.js';
import { bytesInput } from '../../world/file-input.js';

const QUICK_FILES = 50;
const LEAST_PERCENT = 98;

export async function scoreInspections(options: BenchmarkOptions): Promise<BenchmarkResult[]> {
  const count = options.quick ? QUICK_FILES : LABELLED_FILES;
  const scores: Scores = new Map();
  for (let number = 0; number < count; number += 1) {
    const file = labelledFile(number);
    await scoreFile(scores, file, await inspectSource(bytesInput(file.bytes)));
  }
  for (const line of scoreLines(scores)) options.say(`inspect: ${line}`);
  const kinds = await scoreKinds(({ bytes, format }) => inspectSource({ ...bytesInput(bytes), format }));
  options.say(
    `inspect: kind of file: ${kinds.right} of ${kinds.decided} right, ${kinds.certainAndWrong.length} certain and wrong`,
  );
  const [least] = [...scores].sort(([, a], [, b]) => a.right / a.all - b.right / b.all);
  if (least === undefined) throw new Error('no question was asked of the labelled files');
  const [question, { right, all }] = least;
  const wrong = [...scores.values()].reduce((sum, { certainAndWrong }) => sum + certainAndWrong, 0);
  const common = { peaks: {}, references: [] };
  return [
    resultOf(options, {
      ...{ ...common, name: 'inspect right', unit: '%', aim: atLeast(LEAST_PERCENT) },
      what: `${count} labelled files, the worst of ${scores.size} questions: ${question}`,
      figures: [(100 * right) / all],
    }),
    resultOf(options, {
      ...{ ...common, name: 'inspect wrong', unit: 'answers', aim: atMost(0) },
      what: `certain and wrong, of ${count * scores.size}`,
      figures: [wrong],
    }),
  ];
}
