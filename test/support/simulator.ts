import { createSimulator, type Simulator, type SimulatorOptions } from '../../sandbox/simulator/app.ts';

/** A simulator on a free port. */
export async function openSimulator(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = createSimulator(options);
  await simulator.listen(0);
  return simulator;
}
