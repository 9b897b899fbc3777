/** Figures about plans, from values of `c.quota()` and without a request: entry `modelsvc/monitor`. */
export { estimateCredits } from '../overlay/monitor/cost.ts';
export { type ModelCredits, modelCredits } from '../overlay/monitor/credit-usage.ts';
export { type PeakHours, peakHours } from '../overlay/monitor/peak-hours.ts';
export { type PlanRouting, planRouting } from '../overlay/monitor/plan-routing.ts';
export { type PlanEdition, planEdition, type QuotaWindow, quotaWindow } from '../overlay/monitor/quota-windows.ts';
