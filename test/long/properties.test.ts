/** The properties of readers and types, with ten times as many random inputs as otherwise. */
import { tryAtLength } from '../support/models/property-runs.js';

tryAtLength();
for (const suite of [
  '../unit/domain/formats/csv/csv-scanner.properties.test.js',
  '../unit/domain/formats/reader.properties.test.js',
  '../unit/domain/formats/json/json-key-finder.test.js',
  '../unit/domain/formats/json/split-json-array.test.js',
  '../unit/domain/imports/items/row-readers-csv.test.js',
  '../unit/domain/imports/items/row-readers-json.test.js',
  '../unit/domain/catalog/compile-attribute.test.js',
  '../unit/domain/catalog/attribute-types.test.js',
  '../unit/domain/formats/xlsx/rows/round-trip.properties.test.js',
]) {
  await import(suite);
}
