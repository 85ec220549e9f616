/** The goods of an outdoor shop with their variants: what the examples of the platforms have in common. */
import { createRandom } from '../random.mjs';

const COLOURS = ['Red', 'Navy', 'Forest Green'];
const SIZES = ['S', 'M', 'L'];
const BRANDS = ['Alpenrad', 'Fjord & Fell', 'Deichgraf', 'Velo Nord'];
const FIRST_DAY = Date.UTC(2026, 0, 5);
const WEEK_MS = 7 * 86_400_000;

/** Title, path of the category, its options, a price, a weight in grams, and how many images. */
const GOODS = [
  ['Rain Jacket', ['Clothing', 'Jackets'], { Color: COLOURS, Size: SIZES }, 129.95, 420, 4],
  ['Down Vest', ['Clothing', 'Jackets'], { Color: ['Navy', 'Red'], Size: SIZES }, 149, 310, 2],
  ['Merino Shirt', ['Clothing', 'Shirts'], { Size: SIZES }, 69.9, 180, 3],
  ['Trekking Trousers', ['Clothing', 'Trousers'], { Color: ['Navy'], Size: SIZES }, 99.5, 350, 1],
  ['Wool Beanie', ['Clothing', 'Hats'], { Color: COLOURS }, 24.9, 70, 2],
  ['Tent for Two', ['Camping', 'Tents'], {}, 349, 2_450, 5],
  ['Sleeping Bag "Comfort"', ['Camping', 'Sleeping Bags'], { Size: ['Regular', 'Long'] }, 189, 1_300, 2],
  ['Gas Stove', ['Camping', 'Kitchen'], {}, 54.95, 240, 1],
  ['Titanium Mug, 450 ml', ['Camping', 'Kitchen'], {}, 29.9, 95, 1],
  ['Head Torch', ['Camping', 'Lights'], { Color: ['Red', 'Forest Green'] }, 44.5, 88, 2],
];

/** All goods, always the same. */
export function inventGoods() {
  const { int, pick } = createRandom(20_260_105);
  let number = 0;
  return GOODS.map(([title, path, options, price, grams, images], index) => {
    const handle = title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/-$/, '');
    const code = `${handle.slice(0, 2).toUpperCase()}${100 + index}`;
    const variants = combinations(options).map((values) => {
      number += 1;
      const suffix = Object.values(values).map(
        (value) => value.replace(/[^A-Z]|(?<=[A-Z])[a-z]+/g, '').slice(0, 3) || value,
      );
      return {
        sku: [code, ...suffix, ...(suffix.length > 0 ? [number] : [])].join('-'),
        values,
        price: price + (values.Size === 'L' || values.Size === 'Long' ? 5 : 0),
        stock: int(0, 60),
        barcode: ean(number),
      };
    });
    return {
      ...{ handle, code, title, path, options, price, grams, variants },
      compareAt: index % 3 === 0 ? Number((price * 1.2).toFixed(2)) : null,
      brand: pick(BRANDS),
      html: `<p>${title}: light &amp; durable, made for the rain of the North.</p>\n<ul><li>Weight: ${grams} g</li><li>Repairs for 5 years</li></ul>`,
      text: `${title}: light & durable, made for the rain of the North. Weight: ${grams} g.`,
      tags: ['outdoor', path.at(-1).toLowerCase(), ...(index % 2 === 0 ? ['new'] : [])],
      active: index !== 7,
      released: new Date(FIRST_DAY + index * WEEK_MS).toISOString().slice(0, 10),
      images: Array.from({ length: images }, (_, at) => `https://cdn.example.com/products/${handle}-${at + 1}.jpg`),
    };
  });
}

/** Each combination of the values of options; a single empty one without options. */
function combinations(options) {
  let all = [{}];
  for (const [name, values] of Object.entries(options)) {
    all = all.flatMap((before) => values.map((value) => ({ ...before, [name]: value })));
  }
  return all;
}

function ean(number) {
  const digits = `40${String(7_000_000 + number * 13).padStart(10, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
