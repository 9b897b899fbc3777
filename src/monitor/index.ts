/** Figures about plans, from values of `c.quota()` and without a request: entry `modelsvc/monitor`. */
export { formatServerTime, parseServerTime } from '../overlay/errors/server-time.ts';
export { estimateCredits } from '../overlay/monitor/cost.ts';
export { type ModelCredits, modelCredits } from '../overlay/monitor/credit-usage.ts';
export { type Pace, pace } from '../overlay/monitor/pace.ts';
export { type PeakHours, peakHours } from '../overlay/monitor/peak-hours.ts';
export { type PlanRouting, planRouting } from '../overlay/monitor/plan-routing.ts';
export { type PlanEdition, planEdition, type QuotaWindow, quotaWindow } from '../overlay/monitor/quota-windows.ts';
export { creditNumber, type UsageBucket, usageBuckets } from '../overlay/monitor/usage-buckets.ts';
