/** Medians, spreads and ratios, round by round. */

export function quantile(values, at) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = (sorted.length - 1) * at;
  const low = sorted[Math.floor(place)];
  return low + (sorted[Math.ceil(place)] - low) * (place - Math.floor(place));
}

export const median = (values) => quantile(values, 0.5);

/** Half the distance between the quartiles, as a share of the median. */
export function spread(values) {
  const middle = median(values);
  return middle === 0 ? 0 : Math.abs((quantile(values, 0.75) - quantile(values, 0.25)) / 2 / middle);
}

/** Each round of one divided by the same round of another. */
export const over = (ours, theirs) => ours.map((value, round) => value / theirs[round]);

export const minus = (ours, theirs) => ours.map((value, round) => value - theirs[round]);

export function perEvent(samples, events) {
  return Object.fromEntries(Object.entries(samples).map(([client, values]) => [client, values.map((value) => value / events)]));
}
