/** Whether tests of chance run at full length: `MILLRACE_THOROUGH=1`. */
export const isThorough: boolean = globalThis.process?.env.MILLRACE_THOROUGH === '1'
