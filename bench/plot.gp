# SPDX-License-Identifier: BSD-3-Clause
# Time per system against the order, one thread, strided storage, gesv.
# usage: gnuplot -e "csv='results/NAME.csv'; svg='results/NAME.svg'" plot.gp
libraries = system("awk -F, '!/^#/ && $1 != \"n\" && !seen[$8]++ {print $8}' '".csv."'")
machine = system("sed -n 's/^# cpu: //p' '".csv."'")
# Lines of the plot; the columns are those that output.cpp writes.
lines(type, library, columns) = "< awk -F, '!/^#/ && $2 == \"".type."\" && $3 == \"gesv\" && ". \
    "$4 == \"strided\" && $6 == 1 && $8 == \"".library."\" {print ".columns."}' '".csv."'"

# The same colours whatever was found; libtdls is black.
known = "tdls lapacke eigen mkl mkl-batch"
colors = "#000000 #0072b2 #d55e00 #009e73 #cc79a7"
index_of(library) = strstrt(known, library) == 0 ? 4 : \
    words(substr(known, 1, strstrt(known." ", library." ") - 1))

set terminal svg size 1000,520 font "sans,13" background rgb "white"
set output svg
set multiplot layout 1,2 title "gesv, one right-hand side, factors not kept: ".machine noenhanced font ",11"
set logscale xy
set xrange [1.8:72]
set xtics (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
set format y "10^{%L}"
set xlabel "n"
set ylabel "ns per system, one thread"
set grid
set key top left Left reverse samplen 2 noenhanced
do for [type in "double float"] {
    set title type
    plot for [library in libraries] lines(type, library, "$1, $9") with linespoints \
             linewidth (library eq "tdls" ? 3 : 1.5) \
             linecolor rgb word(colors, 1 + index_of(library)) pointtype 7 pointsize 0.4 title library, \
         lines(type, "tdls", "$1, $9 * $15") with lines linecolor "gray" dashtype 2 \
             title "the memory alone"
}
unset multiplot
