/** Invents products, with plausible values for the attributes of their leaf category. */
import {
  BRANDS,
  COLOURS,
  ENERGY_CLASSES,
  IMAGE_HOST,
  INTERFACES,
  MATERIALS,
  VOLTAGES,
  WARRANTIES,
} from './attributes.mjs';

const SERIES = ['Basic', 'Plus', 'Pro', 'Max', 'Eco', 'Classic', 'Ultra', 'Compact', 'Édition', 'Größe XL'];
const RESOLUTIONS = ['1280x720', '1920x1080', '2560x1440', '3440x1440', '3840x2160'];
const CAPACITIES = [16, 32, 64, 128, 256, 512, 1000, 2000, 4000];

/** The values of attributes that only some categories have, in the order in which they are drawn. */
const SPECIFIC = {
  'Energy Class': (random) => random.pick(ENERGY_CLASSES),
  Capacity: (random) => random.pick(CAPACITIES),
  Interface: (random) => random.pick(INTERFACES),
  'Screen Size': (random) => random.int(100, 750) / 10,
  Resolution: (random) => random.pick(RESOLUTIONS),
  Power: (random) => random.int(1, 240) * 10,
  Voltage: (random) => random.pick(VOLTAGES),
  Cordless: (random) => random.happens(0.5),
  Material: (random) => random.pick(MATERIALS),
  Thread: (random) => `M${random.int(2, 20)}`,
  Length: (random) => random.int(40, 40000) / 10,
  'Pack Size': (random) => random.pick([10, 25, 50, 100, 250, 500]),
};

/**
 * @param number the number of the product in the catalog, which is unique
 * @returns `{sku, leaf, parentSku, values}`, with the values of JSON items
 */
export function inventProduct(random, leaf, number) {
  const brand = random.pick(BRANDS);
  const part = `${leaf.prefix}${random.int(10, 99)}-${String(number).padStart(5, '0')}`;
  const values = {
    Title: title(random, leaf, brand, part),
    Brand: brand,
    'Manufacturer Part': part,
    GTIN: gtin(number),
    Weight: random.int(5, 30000) / 1000,
    Stock: random.int(0, 900),
  };
  // A product without a price is a draft.
  if (!random.happens(0.03)) values.Price = random.int(leaf.minCents, leaf.maxCents) / 100;
  if (random.happens(0.5)) values.Image = `${IMAGE_HOST}${part.toLowerCase()}.jpg`;
  if (random.happens(0.2)) values.Active = !random.happens(0.05);
  if (random.happens(0.35)) values.Description = description(random, leaf);
  if (random.happens(0.6)) values.Warranty = String(random.pick(WARRANTIES));
  if (random.happens(0.6)) values['Release Date'] = day(random);
  if (random.happens(0.15)) values['Price Valid Until'] = `${day(random)}T${hour(random)}:30:00.000Z`;
  if (random.happens(0.5)) values.Colour = random.pick(COLOURS);
  for (const [name, draw] of Object.entries(SPECIFIC)) {
    if (!leaf.assigned.has(name)) continue;
    if (leaf.mandatory.includes(name) || random.happens(0.6)) values[name] = asOption(name, draw(random));
  }
  return { sku: `${leaf.prefix}-${String(number).padStart(5, '0')}`, leaf, parentSku: null, values };
}

/** Options are texts, even if they look like numbers. */
function asOption(name, value) {
  return name === 'Voltage' ? String(value) : value;
}

function title(random, leaf, brand, part) {
  const size = random.happens(0.1) ? ` ${random.int(1, 9)}½"` : '';
  const kind = random.happens(0.08) ? `, ${random.pick(['boxed', 'refurbished', '2-pack'])}` : '';
  return `${brand} ${leaf.noun} ${random.pick(SERIES)}${size} ${part.slice(3)}${kind}`;
}

function description(random, { noun }) {
  const first = random.pick([
    `A ${noun.toLowerCase()} for every day.`,
    `"Best in test" – the ${noun.toLowerCase()} that lasts.`,
    `Prêt à l'emploi; ${random.int(2, 12)} pcs.`,
    'Made to be repaired: spare parts for ten years.',
  ]);
  return random.happens(0.25) ? `${first}\nIn the box: manual, ${random.pick(['case', 'cable', 'hex key'])}.` : first;
}

function day(random) {
  return `20${random.int(15, 25)}-${two(random.int(1, 12))}-${two(random.int(1, 28))}`;
}

function hour(random) {
  return two(random.int(0, 23));
}

function two(number) {
  return String(number).padStart(2, '0');
}

/** GTIN-13 with its check digit. Every third comes from a 12-digit code and begins with zeros. */
function gtin(number) {
  const digits = `${number % 3 === 0 ? '0036000' : '4006381'}${String(number).padStart(5, '0')}`;
  const sum = [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}
