import { Agent, tool } from '@millrace/core'
import { z } from 'zod'
import { StreamModel, textAnswer, toolAnswer } from '../src/stream-model.ts'
const mode = process.argv[2]
const weather = tool({ description: 'x', inputSchema: z.object({ city: z.string() }), execute: ({ city }) => ({ city, degrees: 7 }) })
const passes = (id) => ({ id, processOutputStream: ({ part }) => part })
const agent = mode === 'text' ? new Agent({ model: new StreamModel(textAnswer(1000)) })
 : mode === 'ten' ? new Agent({ model: new StreamModel(textAnswer(1000)), processors: Array.from({length:10},(_, i)=>passes('p'+i)) })
 : new Agent({ model: new StreamModel(toolAnswer('weather', { city: 'Oslo' }), textAnswer(10)), tools: { weather } })
const end = performance.now() + 4000
let n = 0
const c0 = process.cpuUsage()
while (performance.now() < end) { for await (const _ of agent.stream('Hi').fullStream); n++ }
const c = process.cpuUsage(c0)
console.log(mode, n, ((c.user + c.system) / n / 1000).toFixed(4), 'ms cpu a run')
