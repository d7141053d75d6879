export { type SimulationOptions } from './options.ts';
export { runSimulation } from './simulation.ts';
