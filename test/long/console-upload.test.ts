/** A file of a gigabyte in the console in a real Chromium, over a line that is cut, and that stays cut for a while. */
import { skipWithoutChromium } from '../support/worlds/test-browser.js';
import {
  goesOnByItself,
  goesOnWithOneButton,
  openUploadWorld,
  stops,
  type UploadWorld,
} from '../system/console-upload.trials.js';

describe('an upload of a gigabyte in the console', function () {
  this.timeout(600_000);
  let upload: UploadWorld;

  before(async function () {
    skipWithoutChromium(this);
    upload = await openUploadWorld(2 ** 30);
  });
  after(() => upload?.stop());

  it('goes on by itself where it was when the line is cut, says why, and shows how far it is', () =>
    goesOnByItself(upload));

  it('is streamed, and leaves nothing behind when it is stopped', () => stops(upload));

  it('goes on with one button when the line stayed cut', () => goesOnWithOneButton(upload));
});
