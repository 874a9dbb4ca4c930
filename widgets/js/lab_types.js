/**
 * The shapes that PolicyLab works with: the catalogue as Python writes it, and what is read off
 * it for a state. Types only; nothing here runs.
 *
 * @typedef {object} Break a request that does not begin like the one before
 * @property {number} request from 1
 * @property {string} part
 * @property {number | null} message from 1, among the request's messages
 * @property {number | null} step
 * @property {string} kind
 * @property {string[]} acts what the policy did
 * @property {number} invalidated tokens
 * @property {number} freed tokens
 *
 * @typedef {object} Curve a run, request by request
 * @property {string} policy
 * @property {number} seed
 * @property {string} ending
 * @property {Record<string, number[]>} regions exact tokens
 * @property {number[]} read tokens read from the cache
 * @property {number[]} costs dollars
 * @property {Break[]} breaks
 *
 * @typedef {"count" | "millions" | "dollars" | "percent"} Kind how a figure is written
 * @typedef {{id: string, kind: Kind, log: boolean}} Column
 * @typedef {{id: string, label: string, what: string, limit: number | null}} Policy
 * @typedef {{seeds: number[], finished: boolean[]} & Record<string, any>} Figures of a policy's runs,
 * column by column
 *
 * @typedef {object} Lab the catalogue
 * @property {number} schema
 * @property {number} version
 * @property {Record<string, string>} words
 * @property {{id: string, label: string}[]} regions
 * @property {Column[]} columns
 * @property {Policy[]} policies
 * @property {Record<string, Figures>} figures
 * @property {Curve[]} curves
 * @property {number} typical the seed that is drawn for many runs
 * @property {number} tier tokens above which a request is dear
 * @property {number} times
 * @property {number} limit
 * @property {number} few
 * @property {number} world
 * @property {number} total checks
 * @property {{sha: string, file: string, runs: string[]}} texts
 * @property {string} notice what went wrong with a reader's own policy, "" for nothing
 * @property {string} first
 * @property {import("./types.js").Experiment[]} experiments
 *
 * @typedef {{policy: string, seed: number | null}} Choice all runs of a policy, or one
 *
 * @typedef {object} LabState
 * @property {Choice} first
 * @property {Choice | null} second
 * @property {number} request from 1
 * @property {string} figure
 *
 * @typedef {{least: number, median: number, most: number}} Spread
 *
 * @typedef {object} Panel what is shown of one choice
 * @property {Choice} choice
 * @property {Policy} policy
 * @property {string} name
 * @property {Curve} curve the run that is drawn
 * @property {number[]} totals tokens of its requests
 * @property {number[][]} ghosts tokens of the requests of the other runs
 * @property {number} count how many runs there are figures of
 * @property {Record<string, Spread>} spread of all runs
 * @property {Record<string, number>} figures medians of all runs, or those of the one run
 *
 * @typedef {object} LabView
 * @property {LabState} state
 * @property {Panel[]} panels
 * @property {number} requests of the longest run that is drawn
 * @property {number} columns places on the axis, with the runs in grey
 * @property {number} tokens the upper end of the axis
 * @property {number} cost the dearest request
 *
 * @typedef {[string, string, string, number, string]} Piece region, role, name, tokens, text
 * @typedef {{pool: Piece[], requests: Record<string, [number, number][][]>}} LabTexts
 */

export {};
