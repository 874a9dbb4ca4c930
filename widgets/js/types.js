/**
 * The shapes that the widget works with: the catalogue as Python writes it, and what is
 * composed from it. Types only; nothing here runs.
 *
 * @typedef {"drop" | "clear" | "careful" | "careless"} Form what becomes of the older steps
 * @typedef {"right" | "wrong" | "absent"} Verdict
 * @typedef {"6" | "40" | "none"} Tools
 *
 * @typedef {object} State
 * @property {number} k recent steps sent word for word
 * @property {Form} older
 * @property {Form | "-"} vs a second form to compare with
 * @property {Tools} tools
 * @property {string[]} off parts that are switched off
 *
 * @typedef {object} When all keys that are given must hold
 * @property {string[]} [tools]
 * @property {string[]} [at] "recent", or the forms in which an older step's message is sent
 * @property {string} [form] a summary's form
 * @property {number} [from] fewest older steps for which this summary stands
 * @property {number} [to]
 *
 * @typedef {object} Segment a message or a tool definition
 * @property {string} id
 * @property {string} part
 * @property {number | null} step
 * @property {string} role
 * @property {number} tokens
 * @property {number} estimate
 * @property {string} head
 * @property {When} when
 *
 * @typedef {object} Carrier a span of a segment on which an answer can rest
 * @property {string} segment
 * @property {number} start in UTF-16 units of the segment's exact text
 * @property {number} end
 * @property {string} quote
 * @property {string} answer
 * @property {Verdict} verdict
 * @property {string} [lost] what to say where the span is not sent
 *
 * @typedef {object} Probe
 * @property {string} id
 * @property {string} question
 * @property {string} short its name in a status line
 * @property {{answer: string, verdict: Verdict}} missing
 * @property {Carrier[]} carriers the first that is sent decides
 *
 * @typedef {object} Fact
 * @property {string} id
 * @property {string} missing
 * @property {{segment: string, value: string}[]} carriers
 *
 * @typedef {object} RunStep
 * @property {number} step
 * @property {string} call
 * @property {string} because
 * @property {string} result
 * @property {number} tokens what the step adds to the next call
 * @property {number} [files] by how much it changes the part of the files, where that is sent
 * @property {number} [task] the same for the task block
 *
 * @typedef {{outcome: string, verdict: Verdict, steps: RunStep[]}} Run
 * @typedef {{verbatim?: [number, number][], paraphrased?: [number, number][]}} Kept
 *
 * @typedef {object} LedgerRow
 * @property {string} id
 * @property {string} kind
 * @property {string} text
 * @property {number} step
 * @property {Kept} careful
 * @property {Kept} careless
 *
 * @typedef {object} Part
 * @property {string} id
 * @property {string} label
 * @property {string} volatility
 * @property {boolean} switchable
 *
 * @typedef {object} Prices
 * @property {number} reused
 * @property {number} new
 * @property {number} reply
 * @property {number} per tokens for which the prices stand
 * @property {number} reply_tokens
 *
 * @typedef {{id: string, label: string, state: string, say: string}} Experiment
 *
 * @typedef {object} Catalogue
 * @property {number} schema
 * @property {{steps: number}} session
 * @property {number} window
 * @property {number} reserve
 * @property {number} budget
 * @property {number} threshold share of the budget over which the call is compacted
 * @property {number} framing tokens counted for each message beside its texts
 * @property {Record<string, string>} words
 * @property {Part[]} parts
 * @property {Segment[]} segments in the order in which they are sent
 * @property {Probe[]} probes
 * @property {Fact[]} facts
 * @property {Record<string, Run>} runs
 * @property {LedgerRow[]} ledger
 * @property {string[]} previous segments of the call before
 * @property {Record<string, Record<string, number>>} shared
 * @property {Prices} prices
 * @property {string} first the state that is shown first
 * @property {Experiment[]} experiments
 * @property {{sha: string, file: string}} texts
 * @property {Own} [own] where a builder of the reader's own made the one call that is in it
 *
 * @typedef {object} Own
 * @property {number} number of the build, ascending
 * @property {string} state the fragment for which it was run
 * @property {string} say what was wrong, "" where all was well
 * @property {string[]} lines that stand below
 * @property {Record<string, number>} tools how many tools each setting names
 * @property {string} running what is said while a build is awaited
 * @property {boolean} still true in a page, where no Python answers
 *
 * @typedef {{id: string, verdict: Verdict, answer: string, carrier: Carrier | null}} Answer
 *
 * @typedef {object} Offer the smallest change of the controls that brings the evidence in
 * @property {State} state
 * @property {"step" | "part" | "form" | "tools"} kind
 * @property {string} value the step count, part, form or number of tools that it sets
 * @property {Carrier} carrier the evidence
 *
 * @typedef {object} Cost
 * @property {number} reused tokens
 * @property {number} fresh tokens
 * @property {number} reply tokens
 * @property {number} units
 * @property {Segment | null} breaks the segment in which the prefix ends
 *
 * @typedef {object} RunView
 * @property {Run} run
 * @property {RunStep[]} steps those that were sent
 * @property {RunStep | null} refused the step whose call did not fit
 * @property {number} size tokens of the call that was refused
 *
 * @typedef {object} Model what anywidget, or the page host, gives to a widget
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} set
 * @property {() => void} save_changes
 * @property {(name: string, listener: (...values: any[]) => void) => void} on
 * @property {(name: string, listener: (...values: any[]) => void) => void} off
 * @property {(message: any) => void} send
 *
 * @typedef {object} View one composed call and what follows from it
 * @property {State} state
 * @property {Segment[]} segments
 * @property {Set<string>} ids
 * @property {Record<string, number>} sizes tokens of each part
 * @property {Record<string, number>} estimates
 * @property {number} total
 * @property {boolean} fits
 * @property {Answer[]} answers empty where the call does not fit
 * @property {RunView | null} run
 * @property {Cost | null} cost
 * @property {Record<string, Offer>} offers by probe
 */

export {};
