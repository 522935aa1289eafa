// A program with a recorded agent. It records a run, prints a line, and exits, or waits to be killed if it is told to.
import { Agent } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'
import { studio } from '../../src/index.ts'

const [file = '', runsOn] = process.argv.slice(2)
const agent = new Agent({ model: new ScriptedModel(() => 'Hello from the program.') })
const trace = studio({ agents: { agent }, file })
await agent.generate('Hi')
await trace.flush()
console.log(`Recorded. ${await trace.link()}`)
if (runsOn === 'stay') {
  process.stdin.on('data', async () => {
    await agent.generate('Again')
    console.log('Once more.')
  })
} else if (runsOn !== 'exit') {
  await trace.close()
}
